import { get, request, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { listen } from "../query/live-reader.js";
import { span, startCollector, type RunningCollector } from "../running-collector.js";

/** Resolves when a request of the route is counted under the status. */
async function counted({ metric }: RunningCollector, route: string, status: number): Promise<number> {
  for (;;) {
    const count = await metric(`obs_http_requests_total{route="${route}",status="${status}"}`);
    if (count > 0) return count;
  }
}

describe("contract 4: obs_http_requests_total", () => {
  it.each(["/v1/telemetry", "/v1/import"])(
    "counts a request to %s as 499 if the client disconnects before the body is complete",
    async (route) => {
      const collector = await startCollector();
      const sent = request(collector.url + route, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Content-Length": "1000" },
      });
      sent.on("error", () => undefined);
      await new Promise<void>((resolve) => sent.write('{"spans"', () => resolve()));
      sent.destroy();
      expect(await counted(collector, route, 499)).toBe(1);
    },
  );

  it("counts a query as 499 if the client disconnects during the response", async () => {
    const collector = await startCollector();
    for (const span_id of ["a", "b"]) {
      await collector.post({ spans: [span({ span_id, attributes: { input_text: "x".repeat(9_000_000) } })] });
    }
    await collector.settled();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${collector.url}/v1/traces/t1?full=1`, resolve).on("error", reject);
    });
    expect(response.statusCode).toBe(200);
    response.on("error", () => undefined).destroy();
    expect(await counted(collector, "/v1/traces/:trace_id", 499)).toBe(1);
  });

  it("counts a live event stream as 200 when its reader disconnects", async () => {
    const collector = await startCollector();
    const { response } = await listen(collector.url);
    response.destroy();
    expect(await counted(collector, "/v1/live", 200)).toBe(1);
  });
});
