import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { load, problems } from "./loading.js";

it("reads values of every kind", () => {
  const { config } = load({
    yaml: `
server: { host: 127.0.0.1, port: 0, allowed_hosts: [a.test, b.test] }
histograms:
  duration_buckets:
    - 0.5
    - 1
trace_store: { enabled: false }
logging: { level: error }
`,
  });
  expect(config).toMatchObject({
    "server.host": "127.0.0.1",
    "server.port": 0,
    "server.allowed_hosts": ["a.test", "b.test"],
    "histograms.duration_buckets": [0.5, 1],
    "trace_store.enabled": false,
    "logging.level": "ERROR",
  });
});

it.each([
  [
    "server: { port: '8080' }",
    "server.port = '8080' (obspan.yaml:1): must be a whole number from 0 to 65,535",
  ],
  [
    "server: { port: 8080.5 }",
    "server.port = 8080.5 (obspan.yaml:1): must be a whole number from 0 to 65,535",
  ],
  [
    "server: { port: [8080] }",
    "server.port = [8080] (obspan.yaml:1): must be a whole number from 0 to 65,535",
  ],
  ["server: { port: true }", "server.port = true (obspan.yaml:1): must be a whole number from 0 to 65,535"],
  ["sampling: { rate: .nan }", "sampling.rate = .nan (obspan.yaml:1): must be a number from 0 to 1"],
  ["shutdown: { drain_queue: yes }", "shutdown.drain_queue = yes (obspan.yaml:1): must be true or false"],
  ["shutdown: { drain_queue: 1 }", "shutdown.drain_queue = 1 (obspan.yaml:1): must be true or false"],
  [
    "backpressure: { mode: { a: 1 } }",
    "backpressure.mode = { a: 1 } (obspan.yaml:1): must be one of reject, drop_oldest",
  ],
])("refuses a value of the wrong type: %s", (yaml, problem) => {
  expect(problems({ yaml })).toEqual([problem]);
});

it("rejects a list written as a string", () => {
  expect(problems({ yaml: 'histograms: { tokens_buckets: "1,2" }' })).toHaveLength(1);
  expect(problems({ yaml: "histograms: { tokens_buckets: ['1', 2] }" })[0]).toMatch(
    /item 1 must be a number above 0$/,
  );
  expect(problems({ yaml: "server: { host: 1 }" })).toHaveLength(1);
});

it.each([
  "",
  "# nothing\n",
  "null",
  "limits:\n",
  "limits: null\nserver: ~\n",
  "limits: { max_traces: null }",
])("counts a missing or null value as not set: %j", (yaml) => {
  const loaded = load({ yaml });
  expect(loaded.config["limits.max_traces"]).toBe(10_000);
  expect(loaded.sources["limits.max_traces"]).toBe("default");
  expect(loaded.warnings).toEqual([]);
});

it("reports the line of each problem", () => {
  const yaml = "# comment\nlimits:\n  max_traces: 10\n\n  max_series: -1\nsampling:\n  rate:\n    2\n";
  expect(problems({ yaml })).toEqual([
    "limits.max_series = -1 (obspan.yaml:5): must be a whole number from 12 to 1,000,000",
    "sampling.rate = 2 (obspan.yaml:7): must be a number from 0 to 1",
  ]);
});

describe("the start is prevented by", () => {
  it.each([
    ["a syntax error", "limits:\n  max_traces: [1\nserver: {}\n", /^obspan\.yaml:\d: /],
    [
      "a key that is set twice",
      "limits:\n  max_traces: 1\n  max_traces: 2\n",
      /^obspan\.yaml:3: max_traces is set twice$/,
    ],
    ["a section that is set twice", "limits: {}\nlimits: {}\n", /^obspan\.yaml:2: limits is set twice$/],
    [
      "a section that is not a map",
      "\nlimits: 5\n",
      /^limits = a single value \(obspan\.yaml:2\): must be a map of keys$/,
    ],
    [
      "a section that is a list",
      "limits: [a]\n",
      /^limits = a list \(obspan\.yaml:1\): must be a map of keys$/,
    ],
    ["a file that is not a map", "\n- limits\n", /^obspan\.yaml:2: the file must be a map of sections$/],
    ["a second document", "limits: {}\n---\nlimits: {}\n", /^obspan\.yaml:2: /],
    ["aliases that multiply", bomb(), /^server\.allowed_hosts = /],
  ])("%s", (_, yaml, problem) => {
    const found = problems({ yaml });
    expect(found[0]).toMatch(problem);
    expect(found.every((line) => !line.includes("\n"))).toBe(true);
  });

  it.each([
    ["ENOENT", "must be a file that exists"],
    ["EACCES", "must be a file that this user may read"],
    ["EISDIR", "must be a file, not a directory"],
    ["EIO", "must be a file that can be read: Error: EIO"],
  ])("a file that cannot be read: %s", (code, limit) => {
    const readFile = () => {
      throw Object.assign(new Error(code), { code });
    };
    const read = loadConfig({
      env: { OBS_SERVER_CONFIG: "/etc/obspan.yaml", OBS_SERVER_PORT: "x" },
      readFile,
    });
    expect(read.type === "refused" && read.problems).toEqual([
      `config_file = /etc/obspan.yaml (OBS_SERVER_CONFIG): ${limit}`,
      "server.port = x (OBS_SERVER_PORT): must be a whole number from 0 to 65,535",
    ]);
  });

  it("a missing file, a directory and a file that is not UTF-8, on a real disk", () => {
    const directory = mkdtempSync(join(tmpdir(), "obspan-yaml-"));
    const latin1 = join(directory, "latin1.yaml");
    writeFileSync(latin1, Buffer.from("# caf\u00e9\n", "latin1"));
    const limits = [join(directory, "missing.yaml"), directory, latin1].map((configPath) => {
      const read = loadConfig({ env: {}, configPath });
      return read.type === "refused" ? read.problems.map((line) => line.replace(configPath, "<path>")) : [];
    });
    rmSync(directory, { recursive: true });
    expect(limits).toEqual([
      ["config_file = <path> (--config): must be a file that exists"],
      ["config_file = <path> (--config): must be a file, not a directory"],
      ["config_file = <path> (--config): must be a file in UTF-8"],
    ]);
  });
});

it("accepts a byte order mark and Windows line endings", () => {
  const yaml = "\ufefflimits:\r\n  max_traces: 7\r\n  max_series: 80\r\n";
  const { config, sources, warnings } = load({ yaml });
  expect(config["limits.max_traces"]).toBe(7);
  expect(sources["limits.max_series"]).toBe("obspan.yaml:3");
  expect(warnings).toEqual([]);
});

it("does not quote the content of a file with a syntax error", () => {
  for (const yaml of [
    "a: 'hunter2",
    'a: "b" hunter2',
    "a: |hunter2\n",
    'a: "\\hunter2"',
    "a: *hunter2\n",
    "a: {b: hunter2",
  ])
    expect(JSON.stringify(loadConfig({ env: {}, configPath: "x", readFile: () => yaml }))).not.toContain(
      "hunter2",
    );
});

it("follows anchors and aliases", () => {
  const { config } = load({ yaml: "limits: { max_traces: &n 70, max_series: *n }" });
  expect(config["limits.max_series"]).toBe(70);
});

it.each([
  ["limts: { max_traces: 1 }", 'unknown key "limts" (obspan.yaml:1) (did you mean "limits"?)'],
  [
    "limits: { max_trace: 1 }",
    'unknown key "limits.max_trace" (obspan.yaml:1) (did you mean "limits.max_traces"?)',
  ],
  [
    "limits: { ttl_seconds: 1 }",
    'unknown key "limits.ttl_seconds" (obspan.yaml:1) (did you mean "trace_store.ttl_seconds"?)',
  ],
  ["limits: { qqqqqq: 1 }", 'unknown key "limits.qqqqqq" (obspan.yaml:1)'],
  ["port: 80", 'unknown key "port" (obspan.yaml:1) (did you mean "server.port"?)'],
  [
    "limits.max_traces: 1",
    'unknown key "limits.max_traces" (obspan.yaml:1) (write "max_traces" under "limits")',
  ],
  ["__proto__: { polluted: true }", 'unknown key "__proto__" (obspan.yaml:1)'],
  ["limits: { __proto__: { max_traces: 1 } }", 'unknown key "limits.__proto__" (obspan.yaml:1)'],
  ["constructor: 1", 'unknown key "constructor" (obspan.yaml:1)'],
  ["? [a, b]\n: 1", 'unknown key "["a","b"]" (obspan.yaml:1)'],
  [
    "logging: { log_file: x }",
    "logging.log_file (obspan.yaml:1) is ignored: set OBS_SERVER_LOGGING_LOG_FILE instead",
  ],
])("warns and starts: %s", (yaml, warning) => {
  const loaded = load({ yaml });
  expect(loaded.warnings).toEqual([warning]);
  expect(loaded.config["limits.max_traces"]).toBe(10_000);
  expect(loaded.config["logging.log_file"]).toBeUndefined();
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

/** Nine levels of nine aliases each: 9^9 items, were it expanded. */
function bomb(): string {
  const levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 9; level += 1) {
    const aliases = Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ");
    levels.push(`a${level}: &a${level} [${aliases}]`);
  }
  return `${levels.join("\n")}\nserver: { allowed_hosts: *a8 }\n`;
}
