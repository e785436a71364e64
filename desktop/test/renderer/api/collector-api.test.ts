import { createCollector, createLogger, loadConfig } from "@obspan/collector-core";
import { expect, it, onTestFinished } from "vitest";
import { createCollectorApi } from "../../../src/renderer/api/collector-api.js";

/** A collector on a free port. */
async function collectorWith(settings: Readonly<Record<string, string>>): Promise<string> {
  const loaded = loadConfig({ env: { OBS_SERVER_PORT: "0", OBS_SERVER_HOST: "127.0.0.1", ...settings } });
  if (loaded.type === "refused") throw new Error(loaded.problems.join("\n"));
  const collector = await createCollector({
    loaded: loaded.loaded,
    logger: createLogger({ level: "CRITICAL", structured: false }),
    version: "0.1.0",
  });
  await collector.start();
  onTestFinished(() => collector.stop().then(() => undefined));
  return collector.url;
}

it("names the tenant of a batch in the header that the collector is configured with", async () => {
  const baseUrl = await collectorWith({
    OBS_SERVER_MULTI_TENANT_ENABLED: "true",
    OBS_SERVER_MULTI_TENANT_HEADER_NAME: "X-Organisation",
  });
  const api = createCollectorApi({ baseUrl });
  await api.sendBatch({ service: "shop", spans: [{ name: "run", trace_id: "t" }] }, "acme");
  await expect
    .poll(async () => (await api.listTraces({})).traces.map(({ tenant, trace_id }) => [tenant, trace_id]))
    .toEqual([["acme", "t"]]);
});

it("asks for ids that UTF-8 cannot write, and reports the collector's answer", async () => {
  const api = createCollectorApi({ baseUrl: await collectorWith({}) });
  const key = { traceId: "t\ud800", tenant: "" };
  const missing = { name: "CollectorError", code: "trace_not_found" };
  await expect(api.getTrace(key)).rejects.toMatchObject(missing);
  await expect(api.getSpan(key, "s\udc00")).rejects.toMatchObject(missing);
  await expect(api.deleteTrace(key)).rejects.toMatchObject(missing);
});
