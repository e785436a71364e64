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
    after_restart: Type.Optional(
      Type.Unknown({
        description:
          "What it will be when the collector is started again, where that is another: the file says so.",
      }),
    ),
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
    file: Type.Union([Type.String(), Type.Null()], {
      description:
        "The YAML file, which `PUT /v1/config` writes; null where the collector was started without one.",
    }),
    file_problems: Type.Array(Type.String(), {
      description: "Why the collector would not start again with the file as it is now.",
    }),
    config: Type.Record(Type.String(), ConfigEntrySchema, {
      description:
        "By the key of the YAML file, such as `limits.max_traces`, in the order of the reference page.",
    }),
  },
  { $id: "ConfigDescription" },
);
export type ConfigDescription = Static<typeof ConfigDescriptionSchema>;

/** What `PUT /v1/config` did. */
export const ConfigChangeSchema = Type.Object(
  {
    file: Type.String(),
    written: Type.Array(Type.String(), { description: "The keys that the file now has, or has no more." }),
    restart_required: Type.Array(Type.String(), {
      description:
        "Keys whose value in effect is not what the file says, until the collector is started again.",
    }),
    overridden: Type.Record(Type.String(), Type.String(), {
      description: "Written keys that an environment variable sets, which wins over the file: its name.",
    }),
    config: ConfigDescriptionSchema.properties.config,
  },
  { $id: "ConfigChange" },
);
export type ConfigChange = Static<typeof ConfigChangeSchema>;
