import { describe, expect, it } from "vitest";
import { OPTION_LIST, type OptionKey } from "../../src/config/options.js";
import { load, problems } from "./loading.js";

function envOf(key: OptionKey): string {
  return OPTION_LIST.find((option) => option.key === key)?.env ?? "";
}

/** Asserts that each value is taken, by the environment and as YAML. */
function takes(key: OptionKey, values: readonly (number | readonly number[])[]): void {
  const [section, leaf] = key.split(".");
  for (const value of values) {
    expect(load({ env: { [envOf(key)]: String(value) } }).config[key]).toEqual(value);
    expect(load({ yaml: `${section}: { ${leaf}: ${JSON.stringify(value)} }` }).config[key]).toEqual(value);
  }
}

/** Asserts that each value stops the start, with one problem that names key, value, source and limit. */
function refuses(key: OptionKey, values: readonly (number | readonly number[])[], limit: string): void {
  const [section, leaf] = key.split(".");
  for (const value of values) {
    const fromEnv = problems({ env: { [envOf(key)]: String(value) } });
    expect(fromEnv).toHaveLength(1);
    expect(fromEnv[0]).toContain(`${key} = `);
    expect(fromEnv[0]).toContain(`(${envOf(key)}): must be ${limit}`);
    const fromYaml = problems({ yaml: `${section}:\n  ${leaf}: ${JSON.stringify(value)}\n` });
    expect(fromYaml).toHaveLength(1);
    expect(fromYaml[0]).toContain(`(obspan.yaml:2): must be ${limit}`);
  }
}

function ascending(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

const BUCKETS = ["histograms.duration_buckets", "histograms.tokens_buckets"] as const;

describe.each(BUCKETS)("%s", (key) => {
  it("spec 8 rule 1: accepts at most 20 buckets", () => {
    takes(key, [ascending(1), ascending(20)]);
    refuses(key, [ascending(21)], "a list of 1 to 20 numbers above 0");
  });

  it("spec 8 rule 1: reports the number of buckets", () => {
    expect(problems({ env: { [envOf(key)]: String(ascending(21)) } })[0]).toMatch(/; there are 21$/);
  });

  it("spec 8 rule 2: rejects bounds that are not positive", () => {
    takes(key, [[0.000001, 1]]);
    refuses(key, [[0, 1], [-1, 1], [-0.5]], "a list of 1 to 20 numbers above 0");
  });

  it("spec 8 rule 2: rejects bounds that are not sorted ascending, including equal bounds", () => {
    refuses(
      key,
      [
        [1, 3, 2],
        [2, 1],
        [1, 1],
      ],
      "a list of 1 to 20 numbers above 0, each larger than the one before",
    );
    expect(problems({ env: { [envOf(key)]: "1,3,2" } })[0]).toMatch(/; item 3 is not larger than item 2$/);
  });
});

it("spec 8 rule 3: the queue size is from 1 to 1,000,000", () => {
  takes("limits.max_queue_size", [1, 1_000_000]);
  refuses("limits.max_queue_size", [0, -1, 1_000_001], "a whole number from 1 to 1,000,000");
});

it("spec 8 rule 4: max traces is from 1 to 500,000", () => {
  takes("limits.max_traces", [1, 500_000]);
  refuses("limits.max_traces", [0, -1, 500_001], "a whole number from 1 to 500,000");
});

it("spec 8 rule 5: the label value length is from 1 to 1,024", () => {
  takes("limits.max_label_value_length", [1, 1024]);
  refuses("limits.max_label_value_length", [0, -1, 1025], "a whole number from 1 to 1,024");
});

it.each(OPTION_LIST.map(({ key }) => key).filter((key) => key.startsWith("limits.cardinality_")))(
  "spec 8 rule 6: %s is positive",
  (key) => {
    takes(key, [1, 1_000_000]);
    refuses(key, [0, -1], "a whole number, 1 or more");
  },
);

it("spec 8 rule 7: the sampling rate is from 0.0 to 1.0", () => {
  takes("sampling.rate", [0, 0.5, 1]);
  refuses("sampling.rate", [-0.000001, 1.000001], "a number from 0 to 1");
});

describe("spec 8 rule 8: the soft limit is less than the hard limit", () => {
  it("and one just below it is accepted", () => {
    const { config } = load({
      env: { OBS_SERVER_BACKPRESSURE_SOFT_LIMIT_PCT: "89.9", OBS_SERVER_BACKPRESSURE_HARD_LIMIT_PCT: "90" },
    });
    expect(config["backpressure.soft_limit_pct"]).toBe(89.9);
  });

  it.each(["90", "90.1"])(
    "and %s against 90 is refused, with both values and where each comes from",
    (soft) => {
      const found = problems({
        env: { OBS_SERVER_BACKPRESSURE_SOFT_LIMIT_PCT: soft },
        yaml: "backpressure:\n  hard_limit_pct: 90\n",
      });
      expect(found).toEqual([
        `backpressure.soft_limit_pct = ${soft} (OBS_SERVER_BACKPRESSURE_SOFT_LIMIT_PCT): must be less than ` +
          "backpressure.hard_limit_pct = 90 (obspan.yaml:2)",
      ]);
    },
  );

  it("and a default counts like a configured value", () => {
    expect(problems({ yaml: "backpressure: { soft_limit_pct: 95 }" })).toEqual([
      "backpressure.soft_limit_pct = 95 (obspan.yaml:1): must be less than backpressure.hard_limit_pct = 95 (default)",
    ]);
  });

  it("and the rule is skipped if one of them is invalid or unknown", () => {
    const env = { OBS_SERVER_BACKPRESSURE_SOFT_LIMIT_PCT: "96" };
    expect(problems({ env, yaml: "backpressure: { hard_limit_pct: 101 }" })).toEqual([
      "backpressure.hard_limit_pct = 101 (obspan.yaml:1): must be a number from 0 to 100",
    ]);
    expect(problems({ env, yaml: "backpressure: [" })).toHaveLength(1);
  });
});

it("spec 8 rule 10: max spans per trace is positive", () => {
  takes("trace_store.max_spans_per_trace", [1, 500]);
  refuses("trace_store.max_spans_per_trace", [0, -1], "a whole number, 1 or more");
});

it("spec 8 rule 11: the TTL is not negative", () => {
  takes("trace_store.ttl_seconds", [0, 1]);
  refuses("trace_store.ttl_seconds", [-1], "a whole number, 0 or more");
});

it("spec 8 rule 12: the grace period is not negative", () => {
  takes("shutdown.grace_period_seconds", [0, 0.5, 30]);
  refuses("shutdown.grace_period_seconds", [-0.001], "a number from 0 to 2,147,483");
});

it("the grace period is at most the longest Node.js timer", () => {
  takes("shutdown.grace_period_seconds", [2_147_483]);
  refuses("shutdown.grace_period_seconds", [2_147_483.5], "a number from 0 to 2,147,483");
});

it.each(["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "debug", "Warning"])(
  "spec 8 rule 13: the logging level %s is taken, and kept in upper case",
  (level) => {
    expect(load({ env: { OBS_SERVER_LOGGING_LEVEL: level } }).config["logging.level"]).toBe(
      level.toUpperCase(),
    );
    expect(load({ yaml: `logging: { level: ${level} }` }).config["logging.level"]).toBe(level.toUpperCase());
  },
);

it.each(["WARN", "TRACE", "FATAL", "20", "INFO "])(
  "spec 8 rule 13: the logging level %j is refused",
  (level) => {
    expect(problems({ env: { OBS_SERVER_LOGGING_LEVEL: level } })).toEqual([
      `logging.level = ${level} (OBS_SERVER_LOGGING_LEVEL): must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL ` +
        "(in any letter case)",
    ]);
  },
);

it("spec 8 rule 9: rejects rate limits that are not positive", () => {
  for (const key of ["rate_limit.per_ip_rpm", "rate_limit.per_service_rpm"] as const) {
    takes(key, [1, 600]);
    refuses(key, [0, -1, 0.5], "a whole number from 1 to 10,000,000");
  }
});

it("spec 8 rule 14: rejects a default SLO error rate outside (0.0, 1.0]", () => {
  takes("sre.default_slo_error_rate", [0.0001, 1]);
  refuses("sre.default_slo_error_rate", [0, 1.0001, -0.1], "a number above 0, at most 1");
});

it("spec 8 rule 15: rejects a negative default cost budget", () => {
  takes("sre.default_cost_budget_usd", [0, 0.5]);
  refuses("sre.default_cost_budget_usd", [-0.01], "a number, 0 or more");
});

it.each(["10.0.0.1", "::1", "10.0.0.0/8", "fd00::/8"])("server.trusted_proxies accepts %s", (range) => {
  expect(problems({ env: { OBS_SERVER_TRUSTED_PROXIES: range } })).toEqual([]);
});

it.each(["10.0.0.256", "10.0.0.0/33", "proxy", "10.0.0.0/"])("server.trusted_proxies rejects %s", (range) => {
  expect(problems({ env: { OBS_SERVER_TRUSTED_PROXIES: range } })).toHaveLength(1);
});

describe("the keys beyond spec 8", () => {
  it("have limits", () => {
    takes("server.port", [0, 65_535]);
    refuses("server.port", [-1, 65_536], "a whole number from 0 to 65,535");
    takes("limits.max_body_bytes", [1, 268_435_456]);
    refuses("limits.max_body_bytes", [0, 268_435_457], "a whole number from 1 to 268,435,456");
    takes("limits.max_queue_bytes", [1]);
    refuses("limits.max_queue_bytes", [0], "a whole number, 1 or more");
    takes("limits.max_series", [12, 1_000_000]);
    refuses("limits.max_series", [11, 1_000_001], "a whole number from 12 to 1,000,000");
    takes("limits.max_span_attributes", [0]);
    refuses("limits.max_span_attributes", [-1], "a whole number, 0 or more");
    takes("trace_store.max_bytes", [1_048_576]);
    refuses("trace_store.max_bytes", [1_048_575], "a whole number, 1,048,576 or more");
  });

  it("accept percentages from 0 to 100 only", () => {
    const env = {
      OBS_SERVER_BACKPRESSURE_SOFT_LIMIT_PCT: "0",
      OBS_SERVER_BACKPRESSURE_HARD_LIMIT_PCT: "100",
    };
    expect(problems({ env })).toEqual([]);
    refuses("backpressure.soft_limit_pct", [-0.1, 100.1], "a number from 0 to 100");
    refuses("backpressure.hard_limit_pct", [-0.1, 100.1], "a number from 0 to 100");
  });

  it.each(["reject", "drop_oldest"])("accept the backpressure mode %s", (mode) => {
    expect(load({ env: { OBS_SERVER_BACKPRESSURE_MODE: mode } }).config["backpressure.mode"]).toBe(mode);
  });

  it("reject any other backpressure mode", () => {
    expect(problems({ env: { OBS_SERVER_BACKPRESSURE_MODE: "Reject" } })).toHaveLength(1);
  });

  it.each(["http://0.0.0.0", "a b", "[::1]", "host/path"])("reject the host %j", (host) => {
    expect(problems({ env: { OBS_SERVER_HOST: host } })).toHaveLength(1);
  });

  it("accept only host names with and without a port as allowed hosts", () => {
    const env = { OBS_SERVER_ALLOWED_HOSTS: "obspan.test, obspan.test:8080,[::1]" };
    expect(load({ env }).config["server.allowed_hosts"]).toEqual([
      "obspan.test",
      "obspan.test:8080",
      "[::1]",
    ]);
    for (const hosts of ["*", "http://a", "a,,b", "a,"])
      expect(problems({ env: { OBS_SERVER_ALLOWED_HOSTS: hosts } })).toHaveLength(1);
  });

  it("accept only origins as allowed origins", () => {
    const env = { OBS_SERVER_ALLOWED_ORIGINS: "https://a.test,http://b.test:3000" };
    expect(load({ env }).config["server.allowed_origins"]).toEqual(["https://a.test", "http://b.test:3000"]);
    for (const origins of ["*", "null", "a.test", "https://a.test/path"])
      expect(problems({ env: { OBS_SERVER_ALLOWED_ORIGINS: origins } })).toHaveLength(1);
  });
});

describe("queue.url", () => {
  it.each(["redis://localhost", "redis://h:1/2", "rediss://user:p%40ss@[::1]:6379/0", "redis://:secret@h/"])(
    "is set to %s by the environment",
    (url) => {
      expect(load({ env: { OBS_SERVER_QUEUE_URL: url } }).config["queue.url"]).toBe(url);
    },
  );

  it.each([
    "http://user:SECRET-9@localhost",
    "amqp://SECRET-9@localhost",
    "user:SECRET-9@localhost:6379",
    "redis://user:SECRET-9@host/name",
    "redis://user:SECRET-9@",
    "redis://user:SECRET-9%zz@host",
    "redis://user:SECRET-9@host?db=1",
  ])("refuses %s, and does not show it", (url) => {
    expect(problems({ env: { OBS_SERVER_QUEUE_URL: url } })).toEqual([
      expect.stringMatching(/^queue\.url = \*\*\* \(OBS_SERVER_QUEUE_URL\): must be redis:\/\/host:port/),
    ]);
  });
});

describe("trace_store.url", () => {
  const env = {
    OBS_SERVER_QUEUE_URL: "redis://localhost",
    OBS_SERVER_TRACE_STORE_URL: "https://clickhouse.test:8443",
  };

  it("is taken with queue.url, also where the directory is a default, or memory is", () => {
    expect(load({ env }).config["trace_store.url"]).toBe("https://clickhouse.test:8443");
    expect(problems({ env, defaults: { "trace_store.path": "/home/me/traces" } })).toEqual([]);
    const memory = { ...env, OBS_SERVER_TRACE_STORE_PATH: "none" };
    expect(problems({ env: memory })).toEqual([]);
  });

  it("needs queue.url, and excludes trace_store.path: both problems are told", () => {
    const alone = { OBS_SERVER_TRACE_STORE_URL: env.OBS_SERVER_TRACE_STORE_URL };
    const yaml = "trace_store:\n  path: /data\n";
    const place = "trace_store.url = https://clickhouse.test:8443 (OBS_SERVER_TRACE_STORE_URL): ";
    expect(problems({ env: alone, yaml })).toEqual([
      `${place}needs queue.url, which is set by OBS_SERVER_QUEUE_URL`,
      `${place}must not be set together with trace_store.path = /data (obspan.yaml:2)`,
    ]);
  });

  it.each(["http://user:SECRET-9@host", "https://host/?password=SECRET-9", "tcp://host"])(
    "refuses %s, and shows no password",
    (url) => {
      const found = problems({ env: { ...env, OBS_SERVER_TRACE_STORE_URL: url } });
      expect(found).toHaveLength(1);
      expect(found[0]).not.toContain("SECRET-9");
    },
  );

  it("has a password of the environment only, which is shown nowhere, and a name that needs no quotes", () => {
    const secret = { ...env, OBS_SERVER_TRACE_STORE_PASSWORD: "SECRET-9" };
    expect(load({ env: secret }).config["trace_store.password"]).toBe("SECRET-9");
    const yaml = "trace_store:\n  password: SECRET-9\n  database: a-b\n";
    const found = problems({ env, yaml }).join("\n");
    expect(found).toContain("trace_store.database");
    expect(found).not.toContain("SECRET-9");
  });
});
