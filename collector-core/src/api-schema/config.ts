import { Type, type Static } from "typebox";

/** One option with its effective value (contract 3, `GET /v1/config`). */
export const ConfigEntrySchema = Type.Object(
  {
    value: Type.Unknown({
      description: "The effective value; null if unset, `***` for a secret.",
    }),
    source: Type.String({
      description: "Source of the value: `OBS_SERVER_…`, `file:line`, `--config` or `default`.",
    }),
    default: Type.Unknown({ description: "The default; null if the option is unset by default." }),
    env: Type.String({ description: "The environment variable that sets it." }),
    env_only: Type.Boolean({ description: "True if the option has no key in the YAML file." }),
    read_only: Type.Boolean({
      description: "True if `PUT /v1/config` does not write it: it has no key, or names a place on the disk.",
    }),
    secret: Type.Boolean(),
    doc: Type.String(),
    rule: Type.String({ description: "The values that are allowed, in words." }),
    changed_over_http: Type.Optional(
      Type.Boolean({ description: "True if `PUT /v1/config` has changed it since the start." }),
    ),
    after_restart: Type.Optional(
      Type.Unknown({
        description: "The value in the file, if it differs; it takes effect after a restart.",
      }),
    ),
    schema: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: "object",
      additionalProperties: true,
      description: "The values that are allowed, as JSON Schema.",
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
        "The YAML file that `PUT /v1/config` writes; null if the collector was started without one.",
    }),
    file_exists: Type.Boolean({ description: "False if the first change creates the file." }),
    not_writable: Type.Union([Type.String(), Type.Null()], {
      description: "Why `PUT /v1/config` changes nothing, as a sentence; null if it can.",
    }),
    file_problems: Type.Array(Type.String(), {
      description: "Problems in the file that would prevent a restart.",
    }),
    config: Type.Record(Type.String(), ConfigEntrySchema, {
      description: "Options by YAML key, such as `limits.max_traces`, in the order of the reference page.",
    }),
  },
  { $id: "ConfigDescription" },
);
export type ConfigDescription = Static<typeof ConfigDescriptionSchema>;

/** What `PUT /v1/config` would do with some values: the result of `POST /v1/config/check`. */
export const ConfigCheckSchema = Type.Object(
  {
    problems: Type.Record(Type.String(), Type.String(), {
      description:
        "Why the values would be refused, by key; `file` for a problem of the file itself. Several problems are on lines of their own.",
    }),
    overridden: Type.Record(Type.String(), Type.String(), {
      description: "Keys that an environment variable overrides, with the name of the variable.",
    }),
    before: Type.String({
      description:
        "The file as it is, for display: secrets, unknown keys and comments that may contain a secret are replaced by `***`.",
    }),
    after: Type.String({ description: "The file as it would be, in the same form." }),
  },
  { $id: "ConfigCheck" },
);
export type ConfigCheck = Static<typeof ConfigCheckSchema>;

/** The result of `PUT /v1/config`. */
export const ConfigChangeSchema = Type.Object(
  {
    file: Type.String(),
    written: Type.Array(Type.String(), {
      description: "The keys that were set in or removed from the file.",
    }),
    restart_required: Type.Array(Type.String(), {
      description: "Keys whose value in the file takes effect after a restart.",
    }),
    overridden: Type.Record(Type.String(), Type.String(), {
      description: "Written keys that an environment variable overrides, with the name of the variable.",
    }),
    config: ConfigDescriptionSchema.properties.config,
  },
  { $id: "ConfigChange" },
);
export type ConfigChange = Static<typeof ConfigChangeSchema>;
