import { Type, type Static } from "typebox";

const Usd = (description: string) => Type.Optional(Type.Number({ description }));

/** The prices of one model in USD per million tokens. */
export const ListedPriceSchema = Type.Object({
  model: Type.String({ description: "The name of a model, or a glob." }),
  provider: Type.Union([Type.String(), Type.Null()], {
    description: "Null in a price file, and for `model`.",
  }),
  input_per_1m: Type.Number(),
  output_per_1m: Type.Number(),
  cached_input_per_1m: Usd("Default: `input_per_1m`."),
  cache_write_per_1m: Usd("Default: `input_per_1m`."),
  reasoning_per_1m: Usd("Default: `output_per_1m`."),
});
export type ListedPrice = Static<typeof ListedPriceSchema>;

/** Most models of one request. */
const MAX_MODELS = 50;
const MAX_MODEL_LENGTH = 256;
const ModelName = Type.String({ maxLength: MAX_MODEL_LENGTH });

/** The query of `GET /v1/prices`. */
export const PricesQuerySchema = Type.Object(
  {
    model: Type.Optional(
      Type.Union([ModelName, Type.Array(ModelName, { maxItems: MAX_MODELS })], {
        description:
          `The name of a model as a span has it; repeated for up to ${MAX_MODELS}. \`models\` then has the prices of these names, ` +
          "without those that have none.",
      }),
    ),
  },
  { additionalProperties: false },
);

/** The response of `GET /v1/prices`. */
export const PriceTableSchema = Type.Object(
  {
    enabled: Type.Boolean({ description: "`pricing.enabled`." }),
    file: Type.Union([Type.String(), Type.Null()], {
      description: "`pricing.file`, whose prices apply; null if the list prices do.",
    }),
    as_of: Type.Union([Type.String(), Type.Null()], {
      description: "The day of the newest list prices; null with a price file.",
    }),
    sources: Type.Array(
      Type.Object({ provider: Type.String(), source: Type.String(), as_of: Type.String() }),
      {
        description: "The page and the day of each part of the list prices.",
      },
    ),
    models: Type.Array(ListedPriceSchema, {
      description:
        "A list price also applies to the name with a date, or with the prefix of a gateway or cloud.",
    }),
  },
  { $id: "PriceTable" },
);
export type PriceTable = Static<typeof PriceTableSchema>;
