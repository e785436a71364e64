import { expect, it } from "vitest";
import { OPTION_LIST } from "../../src/config/options.js";
import { load, problems } from "./loading.js";

const SPEC_VARIABLES = {
  "server.host": "OBS_SERVER_HOST",
  "server.port": "OBS_SERVER_PORT",
  "server.allowed_hosts": "OBS_SERVER_ALLOWED_HOSTS",
  "limits.max_queue_size": "OBS_SERVER_LIMITS_MAX_QUEUE_SIZE",
  "trace_store.max_spans_per_trace": "OBS_SERVER_TRACE_STORE_MAX_SPANS_PER_TRACE",
  "logging.log_file": "OBS_SERVER_LOGGING_LOG_FILE",
  config_file: "OBS_SERVER_CONFIG",
};

it.each(Object.entries(SPEC_VARIABLES))("spec 2.6: %s is set by %s", (key, variable) => {
  expect(OPTION_LIST.find((option) => option.key === key)?.env).toBe(variable);
});

it.each([
  "20abc",
  "0x10",
  "1e400",
  "1e3",
  "NaN",
  "Infinity",
  " 8080",
  "8080 ",
  "+8080",
  "8080.",
  ".5",
  "1,000",
  "-",
])("refuses %j as a number", (text) => {
  expect(problems({ env: { OBS_SERVER_PORT: text } })).toHaveLength(1);
  expect(problems({ env: { OBS_SERVER_SHUTDOWN_GRACE_PERIOD_SECONDS: text } })).toHaveLength(1);
});

it("accepts fractions, except for options that require a whole number", () => {
  expect(load({ env: { OBS_SERVER_SAMPLING_RATE: "0.25" } }).config["sampling.rate"]).toBe(0.25);
  expect(problems({ env: { OBS_SERVER_PORT: "8080.5" } })).toHaveLength(1);
});

it("rejects a number that JavaScript cannot represent", () => {
  expect(problems({ env: { OBS_SERVER_LIMITS_CARDINALITY_MODEL: "9".repeat(17) } })).toHaveLength(1);
  expect(problems({ env: { OBS_SERVER_HISTOGRAMS_TOKENS_BUCKETS: "9".repeat(400) } })).toHaveLength(1);
});

it.each([
  ["true", true],
  ["TRUE", true],
  ["False", false],
])("takes %s as a boolean", (text, value) => {
  expect(load({ env: { OBS_SERVER_LOGGING_STRUCTURED: text } }).config["logging.structured"]).toBe(value);
});

it.each(["1", "yes", "on", " true", "t"])("rejects %j as a boolean", (text) => {
  expect(problems({ env: { OBS_SERVER_LOGGING_STRUCTURED: text } })).toEqual([
    `logging.structured = ${text} (OBS_SERVER_LOGGING_STRUCTURED): must be true or false`,
  ]);
});

it("separates the items of a list by commas, with or without spaces", () => {
  const { config } = load({ env: { OBS_SERVER_HISTOGRAMS_DURATION_BUCKETS: "0.1, 1 ,2.5" } });
  expect(config["histograms.duration_buckets"]).toEqual([0.1, 1, 2.5]);
});

it.each(["1,,2", "1,2,", ",1", "1;2"])("rejects %j as a list of numbers", (text) => {
  expect(problems({ env: { OBS_SERVER_HISTOGRAMS_DURATION_BUCKETS: text } })).toHaveLength(1);
});

it("treats an empty variable as unset", () => {
  const env = {
    OBS_SERVER_PORT: "",
    OBS_SERVER_CONFIG: "",
    OBS_SERVER_LOGGING_LOG_FILE: "",
    OBS_SERVER_NOBODY: "",
  };
  const loaded = load({ env, yaml: "server: { port: 9000 }" });
  expect(loaded.config["server.port"]).toBe(9000);
  expect(loaded.config["logging.log_file"]).toBeUndefined();
  expect(loaded.warnings).toEqual([]);
});

it("warns of an unknown variable with the nearest known name, and never with its value", () => {
  const env = {
    OBS_SERVER_LIMIT_MAX_TRACES: "hunter2",
    OBS_SERVER_ZZZZZZZZ: "hunter2",
    OBS_SERVICE: "demo",
    PATH: "/",
  };
  expect(load({ env }).warnings).toEqual([
    'unknown variable OBS_SERVER_LIMIT_MAX_TRACES (did you mean "OBS_SERVER_LIMITS_MAX_TRACES"?)',
    "unknown variable OBS_SERVER_ZZZZZZZZ",
  ]);
});

it("shows a long or unusual value on one line", () => {
  const [problem] = problems({ env: { OBS_SERVER_PORT: `80\n80\u001b[31m${"é".repeat(500)}` } });
  expect(problem).toMatch(/^server\.port = 80 80�\[31mé+… \(OBS_SERVER_PORT\)/u);
  expect(problem?.length).toBeLessThan(320);
});
