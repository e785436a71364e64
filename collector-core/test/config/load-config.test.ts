import { describe, expect, it } from "vitest";
import { option, completeOption } from "../../src/config/option.js";
import { integer, list, text } from "../../src/config/option-kinds.js";
import { OPTION_LIST } from "../../src/config/options.js";
import { readOptions } from "../../src/config/read-options.js";
import { load, problems } from "./loading.js";

describe("spec 2.6: environment over YAML file over defaults", () => {
  const yaml = "limits:\n  max_traces: 20\n";

  it("uses the default if nothing is set", () => {
    const { config, sources } = load({});
    expect(config["limits.max_traces"]).toBe(10_000);
    expect(new Set(Object.values(sources))).toEqual(new Set(["default"]));
  });

  it("prefers the YAML file over the default", () => {
    const { config, sources } = load({ yaml });
    expect(config["limits.max_traces"]).toBe(20);
    expect(sources["limits.max_traces"]).toBe("obspan.yaml:2");
  });

  it("prefers the environment over the YAML file", () => {
    const { config, sources } = load({ yaml, env: { OBS_SERVER_LIMITS_MAX_TRACES: "30" } });
    expect(config["limits.max_traces"]).toBe(30);
    expect(sources["limits.max_traces"]).toBe("OBS_SERVER_LIMITS_MAX_TRACES");
  });

  it("does not validate a value of the YAML file that the environment overrides", () => {
    expect(
      problems({ yaml: "limits: { max_traces: 0 }", env: { OBS_SERVER_LIMITS_MAX_TRACES: "30" } }),
    ).toEqual([]);
  });
});

it("has every default of spec 2.6", () => {
  expect(load({}).config).toEqual({
    config_file: undefined,
    "server.host": "0.0.0.0",
    "server.port": 8080,
    "server.allowed_hosts": [],
    "server.allowed_origins": [],
    "server.max_connections_per_address": 250,
    "server.trusted_proxies": [],
    "auth.api_keys": [],
    "auth.protect_metrics": false,
    "mcp.allow_write": false,
    "pricing.enabled": true,
    "pricing.file": undefined,
    "rate_limit.enabled": false,
    "rate_limit.per_ip_rpm": 600,
    "rate_limit.per_service_rpm": 3000,
    "exemplars.enabled": false,
    "sre.enabled": false,
    "sre.default_slo_error_rate": 0.01,
    "sre.default_cost_budget_usd": 0,
    "sre.agents": {},
    "exporter.otlp_endpoint": undefined,
    "exporter.batch_size": 200,
    "exporter.flush_interval": 5,
    "exporter.headers": {},
    "exporter.compression": "gzip",
    "exporter.max_queue_size": 20_000,
    "exporter.max_retries": 5,
    "limits.max_traces": 10_000,
    "limits.max_queue_size": 50_000,
    "limits.max_queue_bytes": 268_435_456,
    "limits.max_in_flight_bytes": undefined,
    "limits.max_body_bytes": 10_485_760,
    "limits.max_span_attributes": 100,
    "limits.max_label_value_length": 128,
    "limits.max_series": 20_000,
    "limits.cardinality_model": 50,
    "limits.cardinality_provider": 10,
    "limits.cardinality_tool_name": 200,
    "limits.cardinality_agent": 200,
    "limits.cardinality_error_type": 50,
    "limits.cardinality_service": 200,
    "limits.cardinality_env": 20,
    "limits.cardinality_span_type": 20,
    "limits.cardinality_tenant": 200,
    "multi_tenant.enabled": false,
    "multi_tenant.header_name": "X-Tenant-ID",
    "histograms.duration_buckets": [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
    "histograms.tokens_buckets": [10, 50, 100, 250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000],
    "trace_store.enabled": true,
    "trace_store.max_spans_per_trace": 500,
    "trace_store.ttl_seconds": 0,
    "trace_store.max_bytes": 1_073_741_824,
    "trace_store.path": undefined,
    "trace_store.url": undefined,
    "trace_store.user": "default",
    "trace_store.password": undefined,
    "trace_store.database": "obspan",
    "trace_store.text_index": "ngrams",
    "trace_store.disk_max_bytes": 10_737_418_240,
    "trace_store.disk_min_free_bytes": 1_073_741_824,
    "trace_store.commit_interval_ms": 200,
    "sampling.rate": 1,
    "queue.url": undefined,
    "queue.replica_id": undefined,
    "queue.dead_letter_ttl_seconds": 86_400,
    "redaction.enabled": false,
    "redaction.max_text_length": 50_000,
    "redaction.drop_on_failure": true,
    "redaction.custom_patterns_json": undefined,
    "backpressure.soft_limit_pct": 80,
    "backpressure.hard_limit_pct": 95,
    "backpressure.mode": "reject",
    "evaluation.enabled": false,
    "evaluation.queue_size": 10_000,
    "evaluation.drop_policy": "drop_new",
    "evaluation.worker_concurrency": 4,
    "evaluation.default_sample_rate": 1,
    "evaluation.default_timeout_ms": 30_000,
    "evaluation.max_evaluation_types": 20,
    "evaluation.judge_model": "gpt-6-luna",
    "evaluation.judge_provider": "openai",
    "evaluation.judge_api_key": undefined,
    "evaluation.judge_base_url": undefined,
    "evaluation.types": {},
    "evaluation.thresholds": {},
    "shutdown.grace_period_seconds": 30,
    "shutdown.drain_queue": true,
    "logging.structured": false,
    "logging.level": "INFO",
    "logging.log_file": undefined,
  });
});

it("has valid defaults", () => {
  for (const { key, kind, default: byDefault } of OPTION_LIST)
    if (byDefault !== undefined) expect(kind.check(byDefault), key).toEqual({ ok: true, value: byDefault });
});

it("lists all problems of environment and YAML file at once, one line each", () => {
  const found = problems({
    env: { OBS_SERVER_PORT: "http", OBS_SERVER_SAMPLING_RATE: "1.5", OBS_SERVER_LOGGING_LEVEL: "LOUD" },
    yaml: "limits:\n  max_traces: 0\n  max_queue_size: many\nbackpressure: { soft_limit_pct: 99 }\nshutdown: soon\n",
  });
  expect(found).toEqual([
    "shutdown = a single value (obspan.yaml:5): must be a map of keys",
    "server.port = http (OBS_SERVER_PORT): must be a whole number from 0 to 65,535",
    "limits.max_traces = 0 (obspan.yaml:2): must be a whole number from 1 to 500,000",
    "limits.max_queue_size = many (obspan.yaml:3): must be a whole number from 1 to 1,000,000",
    "sampling.rate = 1.5 (OBS_SERVER_SAMPLING_RATE): must be a number from 0 to 1",
    "logging.level = LOUD (OBS_SERVER_LOGGING_LEVEL): must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL " +
      "(in any letter case)",
  ]);
});

it("overrides a default of the table and reports the same source", () => {
  const defaults = { "server.host": "127.0.0.1" };
  const loaded = load({ defaults });
  expect(loaded.config["server.host"]).toBe("127.0.0.1");
  expect(loaded.sources["server.host"]).toBe("default");
  expect(loaded.defaults["server.host"]).toBe("127.0.0.1");
  expect(load({ defaults, yaml: "server: { host: 0.0.0.0 }" }).config["server.host"]).toBe("0.0.0.0");
  expect(load({ defaults, env: { OBS_SERVER_HOST: "::" } }).config["server.host"]).toBe("::");
});

it("reports the file that it read, and prefers --config over OBS_SERVER_CONFIG", () => {
  const loaded = load({ yaml: "", env: { OBS_SERVER_CONFIG: "other.yaml" } });
  expect(loaded.config.config_file).toBe("obspan.yaml");
  expect(loaded.sources.config_file).toBe("--config");
});

it("never includes the value of a secret in a problem", () => {
  const table = [
    completeOption("auth.pin", option({ kind: integer(), default: undefined, doc: "", secret: true })),
    completeOption(
      "auth.api_keys",
      option({
        kind: list(text({ rule: "a key", pattern: /^key-/ }), { items: "keys" }),
        default: undefined,
        doc: "",
        secret: true,
      }),
    ),
  ];
  const yaml = "auth: { api_keys: [hunter2] }";
  const read = readOptions(table, new Map(), {
    env: { OBS_SERVER_AUTH_PIN: "hunter2" },
    configPath: "obspan.yaml",
    readFile: () => yaml,
  });
  expect(read.problems).toEqual([
    "auth.pin = *** (OBS_SERVER_AUTH_PIN): must be a whole number",
    "auth.api_keys = *** (obspan.yaml:1): must be a list of keys",
  ]);
});
