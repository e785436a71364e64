import { expect, it } from "vitest";
import { welcome, type WelcomeOptions } from "../../src/process/welcome.js";

const GIB = 2 ** 30;

function lines(traceDirectory: string | undefined, config: Partial<WelcomeOptions["config"]> = {}): string[] {
  return welcome({
    url: "http://127.0.0.1:8080",
    hasUi: true,
    config: {
      "trace_store.enabled": true,
      "trace_store.url": undefined,
      "trace_store.disk_max_bytes": 10 * GIB,
      "trace_store.ttl_seconds": 14 * 24 * 3600,
      ...config,
    },
    traceDirectory,
  }).split("\n");
}

it("says where traces are kept, within which limits, and how to turn it off", () => {
  expect(lines("/home/ada/.local/share/obspan/traces").slice(4, 6)).toEqual([
    "  Kept      in /home/ada/.local/share/obspan/traces",
    "            up to 10 GiB, for 14 days; OBS_SERVER_TRACE_STORE_PATH=none keeps them in memory",
  ]);
});

it.each([
  [0, 10 * GIB, "up to 10 GiB, without a limit of age;"],
  [24 * 3600, 1.5 * GIB, "up to 1.5 GiB, for 1 day;"],
  [5400, GIB / 2, "up to 512 MiB, for 1.5 h;"],
  [90, 2 ** 24, "up to 16 MiB, for 90 s;"],
])("names a limit of %i seconds and %i bytes", (seconds, bytes, text) => {
  const config = { "trace_store.ttl_seconds": seconds, "trace_store.disk_max_bytes": bytes };
  expect(lines("/traces", config)[5]).toContain(text);
});

it("says in which ClickHouse traces are kept, also where there is a default directory", () => {
  const config = { "trace_store.url": "https://clickhouse.test:8443/base" };
  expect(lines("/traces", config)[4]).toBe("  Kept      in ClickHouse at clickhouse.test:8443");
});

it("says that traces in memory end with the collector, and nothing if the store is off", () => {
  expect(lines(undefined)[4]).toBe("  Kept      in memory, until the collector stops");
  expect(lines(undefined, { "trace_store.enabled": false }).join("\n")).not.toContain("Kept");
});
