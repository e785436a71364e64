import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { freePort } from "../../collector-core/test/free-port.js";
import { collectorForTest, type Settings } from "../harness/built-collector.js";
import { collectorHere } from "../harness/collector-here.js";
import { rule } from "./rule.js";

/** The default of a key, and another valid value. */
type Values = readonly [byDefault: unknown, other: unknown];

const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60];
const TOKEN_BUCKETS = [10, 50, 100, 250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000];

/** Every key of the specification that the YAML file may have; null if the default is unset. */
const KEYS: Readonly<Record<string, Values>> = {
  "server.host": ["0.0.0.0", "127.0.0.1"],
  "limits.max_traces": [10_000, 11],
  "limits.max_queue_size": [50_000, 12],
  "limits.max_span_attributes": [100, 13],
  "limits.max_label_value_length": [128, 14],
  "limits.cardinality_model": [50, 15],
  "limits.cardinality_provider": [10, 16],
  "limits.cardinality_tool_name": [200, 17],
  "limits.cardinality_agent": [200, 18],
  "limits.cardinality_error_type": [50, 19],
  "histograms.duration_buckets": [BUCKETS, [0.5, 1]],
  "histograms.tokens_buckets": [TOKEN_BUCKETS, [1, 2, 3]],
  "trace_store.enabled": [true, false],
  "trace_store.max_spans_per_trace": [500, 20],
  "trace_store.ttl_seconds": [0, 21],
  "exporter.otlp_endpoint": [null, "http://127.0.0.1:9"],
  "exporter.batch_size": [200, 22],
  "exporter.flush_interval": [5, 23],
  "multi_tenant.enabled": [false, true],
  "multi_tenant.header_name": ["X-Tenant-ID", "X-Customer"],
  "sampling.rate": [1, 0.25],
  "backpressure.soft_limit_pct": [80, 60.5],
  "backpressure.hard_limit_pct": [95, 90.5],
  "backpressure.mode": ["reject", "drop_oldest"],
  "rate_limit.enabled": [false, true],
  "rate_limit.per_ip_rpm": [600, 6000],
  "rate_limit.per_service_rpm": [3000, 7000],
  "exemplars.enabled": [false, true],
  "redaction.enabled": [false, true],
  "redaction.max_text_length": [50_000, 24],
  "redaction.drop_on_failure": [true, false],
  "evaluation.enabled": [false, true],
  "evaluation.queue_size": [10_000, 25],
  "evaluation.drop_policy": ["drop_new", "drop_oldest"],
  "evaluation.worker_concurrency": [4, 26],
  "evaluation.default_sample_rate": [1, 0.5],
  "evaluation.default_timeout_ms": [30_000, 27],
  "evaluation.max_evaluation_types": [20, 28],
  "evaluation.judge_model": [expect.any(String), "judge-1"],
  "evaluation.judge_provider": ["openai", "ollama"],
  "shutdown.grace_period_seconds": [30, 2.5],
  "shutdown.drain_queue": [true, false],
  "logging.structured": [false, true],
  "logging.level": ["INFO", "DEBUG"],
  "sre.enabled": [false, true],
  "sre.default_slo_error_rate": [0.01, 0.05],
  "sre.default_cost_budget_usd": [0, 12.5],
};

/** Keys that only the environment has, with test values. */
const ENV_ONLY: Readonly<Record<string, string>> = {
  REDACTION_CUSTOM_PATTERNS_JSON: '[{"pattern":"x","replacement":"y"}]',
  SRE_AGENTS_JSON: '{"support":{"slo_error_rate":0.02}}',
};

type Entries = Readonly<Record<string, { value: unknown; default: unknown; source: string; env: string }>>;

async function configOf({ url }: { readonly url: string }): Promise<Entries> {
  const response = await fetch(`${url}/v1/config`);
  return ((await response.json()) as { config: Entries }).config;
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-e2e-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** `OBS_SERVER_` + SECTION + `_` + KEY; the section `server` is left out for host and port. */
const variableOf = (key: string): string =>
  key
    .replace(/^server\./, "")
    .replace(".", "_")
    .toUpperCase();

const asEnvironment = (): Settings =>
  Object.fromEntries(Object.entries(KEYS).map(([key, [, other]]) => [variableOf(key), String(other)]));

/** Writes a YAML file with the other value of every key. @returns its path. */
function yamlFile(port: number): string {
  const sections: Record<string, Record<string, unknown>> = { server: { port } };
  for (const [key, [, other]] of Object.entries(KEYS)) {
    const [section = "", leaf = ""] = key.split(".");
    (sections[section] ??= {})[leaf] = other;
  }
  const file = join(temporaryDirectory(), "obspan.yaml");
  writeFileSync(file, stringify(sections));
  return file;
}

describe("the server's options", () => {
  rule("2.6", "gives every key its default", async () => {
    const config = await configOf(await collectorForTest());
    const defaults = Object.fromEntries(Object.keys(KEYS).map((key) => [key, config[key]?.default]));
    expect(defaults).toEqual(
      Object.fromEntries(Object.entries(KEYS).map(([key, [byDefault]]) => [key, byDefault])),
    );
    expect(config["server.port"]?.default).toBe(8080);
    for (const key of Object.keys(KEYS).filter((each) => !each.startsWith("server."))) {
      expect(config[key]).toMatchObject({ value: KEYS[key]?.[0], source: "default" });
    }
  });

  rule("2.6", "reads every key from its environment variable, and lists as comma-separated", async () => {
    const port = await freePort();
    const config = await configOf(
      await collectorHere({ ...asEnvironment(), ...ENV_ONLY, PORT: String(port) }),
    );
    for (const [key, [, other]] of Object.entries(KEYS)) {
      const variable = `OBS_SERVER_${variableOf(key)}`;
      expect({ key, ...config[key] }).toMatchObject({ key, value: other, source: variable, env: variable });
    }
    expect(config["server.port"]).toMatchObject({ value: port, source: "OBS_SERVER_PORT" });
    expect(config["sre.agents"]).toMatchObject({
      value: { support: { slo_error_rate: 0.02 } },
      source: "OBS_SERVER_SRE_AGENTS_JSON",
    });
    expect(config["redaction.custom_patterns_json"]).toMatchObject({
      value: [{ pattern: "x", replacement: "y" }],
    });
  });

  rule("2.6", "reads every key from the YAML file that OBS_SERVER_CONFIG names", async () => {
    const port = await freePort();
    const file = yamlFile(port);
    // The harness sets host and port in the environment; an empty variable counts as unset.
    const config = await configOf(await collectorHere({ CONFIG: file, HOST: "", PORT: "" }));
    for (const [key, [, other]] of Object.entries(KEYS)) {
      expect({ key, ...config[key] }).toMatchObject({
        key,
        value: other,
        source: expect.stringMatching(/obspan\.yaml:\d+$/),
      });
    }
    expect(config["server.port"]?.value).toBe(port);
  });

  rule("2.6", "prefers the environment over the YAML file, and the YAML file over the default", async () => {
    const file = yamlFile(await freePort());
    const config = await configOf(
      await collectorHere({ CONFIG: file, LIMITS_MAX_TRACES: "77", SAMPLING_RATE: "1.0" }),
    );
    expect(config["limits.max_traces"]?.value).toBe(77);
    expect(config["sampling.rate"]?.value).toBe(1);
    expect(config["limits.max_span_attributes"]?.value).toBe(13);
    expect(config["limits.max_queue_bytes"]?.source).toBe("default");
  });

  rule("2.6", "writes structured log lines as JSON objects with the specified fields", async () => {
    const file = join(temporaryDirectory(), "obspan.log");
    const collector = await collectorForTest({ LOGGING_STRUCTURED: "true", LOGGING_LOG_FILE: file });
    await collector.stop();
    expect(collector.stderr.length).toBeGreaterThan(1);
    for (const line of collector.stderr) {
      expect(JSON.parse(line)).toMatchObject({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        level: expect.stringMatching(/^(DEBUG|INFO|WARNING|ERROR|CRITICAL)$/),
        logger: expect.any(String),
        message: expect.any(String),
      });
    }
  });
});
