import Type, { type Static } from "typebox";

/** One option with its value in effect (contract 3, `GET /v1/config`). */
export const ConfigEntrySchema = Type.Object(
  {
    value: Type.Unknown({
      description: "The value in effect; null where it is unset, `***` where it is a secret.",
    }),
    source: Type.String({
      description: "Where it comes from: `OBS_SERVER_…`, `file:line`, `--config` or `default`.",
    }),
    default: Type.Unknown({ description: "Null where the option is unset by default." }),
    env: Type.String({ description: "The environment variable that sets it." }),
    env_only: Type.Boolean({ description: "It has no key in the YAML file." }),
    secret: Type.Boolean(),
    doc: Type.String(),
    rule: Type.String({ description: "What a value must be, in words." }),
    schema: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: "object",
      additionalProperties: true,
      description: "What a value must be, as JSON Schema.",
    }),
  },
  { $id: "ConfigEntry" },
);
export type ConfigEntry = Static<typeof ConfigEntrySchema>;

/** The body of `GET /v1/config`. */
export const ConfigDescriptionSchema = Type.Object(
  {
    config: Type.Record(Type.String(), ConfigEntrySchema, {
      description:
        "By the key of the YAML file, such as `limits.max_traces`, in the order of the reference page.",
    }),
  },
  { $id: "ConfigDescription" },
);
export type ConfigDescription = Static<typeof ConfigDescriptionSchema>;
