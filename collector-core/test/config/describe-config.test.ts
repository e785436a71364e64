import { expect, it } from "vitest";
import { Value } from "typebox/value";
import { describeConfig, describeOptions } from "../../src/config/describe-config.js";
import { completeOption, option } from "../../src/config/option.js";
import { text } from "../../src/config/option-kinds.js";
import { OPTION_LIST } from "../../src/config/options.js";
import { ConfigDescriptionSchema } from "../../src/api-schema/config.js";
import { load } from "./loading.js";

it("describes every option with its value, source, default, variable and rule", () => {
  const { config } = describeConfig(load({ yaml: "\nlimits:\n  max_traces: 20\n" }));
  expect(Object.keys(config)).toEqual(OPTION_LIST.map(({ key }) => key));
  expect(config["limits.max_traces"]).toEqual({
    value: 20,
    source: "obspan.yaml:3",
    default: 10_000,
    env: "OBS_SERVER_LIMITS_MAX_TRACES",
    env_only: false,
    read_only: false,
    secret: false,
    doc: "Traces kept in the trace store; the oldest are evicted first.",
    rule: "a whole number from 1 to 500,000",
    schema: { type: "integer", minimum: 1, maximum: 500_000 },
  });
});

it("matches its schema, also as JSON, where unset values are null", () => {
  const description = describeConfig(load({}));
  expect(Value.Check(ConfigDescriptionSchema, description)).toBe(true);
  expect(JSON.parse(JSON.stringify(description))).toEqual(description);
  expect(description.config["logging.log_file"]).toMatchObject({
    value: null,
    default: null,
    env_only: true,
    read_only: true,
  });
  expect(description.config["trace_store.path"]).toMatchObject({ env_only: false, read_only: true });
});

it("shows a secret as *** and an unset secret as null", () => {
  const secret = (key: string) =>
    completeOption(key, option({ kind: text({ rule: "a key" }), default: undefined, doc: "", secret: true }));
  const described = describeOptions([secret("auth.one"), secret("auth.two")], {
    values: { "auth.one": "hunter2" },
    sources: { "auth.one": "OBS_SERVER_AUTH_ONE" },
    defaults: {},
  });
  expect(described["auth.one"]?.value).toBe("***");
  expect(described["auth.two"]?.value).toBeNull();
});
