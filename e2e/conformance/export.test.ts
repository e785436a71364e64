import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { collectorHere } from "../harness/collector-here.js";
import { until } from "../harness/until.js";
import { rule } from "./rule.js";

rule(
  "4.9 rule 3",
  "posts batches to {endpoint}/v1/traces, and a partial one after flush_interval",
  async () => {
    const posts: { target: string; type: string | undefined; atMs: number }[] = [];
    const server = createServer((request, response) => {
      const { method = "", url = "", headers } = request;
      posts.push({ target: `${method} ${url}`, type: headers["content-type"], atMs: performance.now() });
      request.resume().on("end", () => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const collector = await collectorHere({
      EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp`,
      EXPORTER_BATCH_SIZE: "2",
      EXPORTER_FLUSH_INTERVAL: "1",
    });

    const sentAtMs = performance.now();
    const spans = ["a", "b", "c", "d", "e"].map((name) => ({ name, trace_id: "t", duration_ms: 1 }));
    await fetch(`${collector.url}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ service: "shop", spans }),
    });
    await until("five spans are exported in three requests", () => posts[2]);
    expect(new Set(posts.map(({ target }) => target))).toEqual(new Set(["POST /otlp/v1/traces"]));
    expect(new Set(posts.map(({ type }) => type))).toEqual(new Set(["application/x-protobuf"]));
    expect((posts[2]?.atMs ?? 0) - sentAtMs).toBeGreaterThan(900);
    const metrics = await until("all requests are answered", async () => {
      const text = await (await fetch(`${collector.url}/metrics`)).text();
      return text.includes('obs_export_spans_total{outcome="exported"} 5') ? text : undefined;
    });
    expect(metrics).toContain("obs_export_queue_size 0");
  },
);
