import { connect } from "node:net";
import { expect, describe, it } from "vitest";
import type { Events } from "../../src/api-schema/events.js";
import { span, startCollector } from "../running-collector.js";

describe("contract 3: GET /v1/events", () => {
  it("lists rejected requests with the reason, newest first, merged when equal, without bodies", async () => {
    const { post, url, get } = await startCollector();
    await post({ spans: [{ name: "chat", attributes: { prompt_text: "my secret" } }] });
    await post({ spans: [{ name: "chat", attributes: { prompt_text: "my secret" } }] });
    await fetch(`${url}/v1/tracse?x=1`, { method: "POST", headers: { "User-Agent": "typo/1.0" } });
    const { refused } = await get<Events>("/v1/events");
    expect(refused).toMatchObject([
      {
        method: "POST",
        path: "/v1/tracse",
        status: 404,
        code: "not_found",
        user_agent: "typo/1.0",
        count: 1,
      },
      {
        method: "POST",
        path: "/v1/telemetry",
        status: 400,
        code: "invalid_span",
        client: "127.0.0.1",
        count: 2,
      },
    ]);
    expect(refused[1]?.message).toContain("spans[0].trace_id");
    expect(JSON.stringify(refused)).not.toContain("my secret");
  });

  it("omits failed queries, whose clients see the error themselves", async () => {
    const { url, get } = await startCollector();
    await fetch(`${url}/v1/traces/unknown`);
    await fetch(`${url}/v1/traces?limit=0`);
    expect((await get<Events>("/v1/events")).refused).toEqual([]);
  });

  it("lists malformed HTTP and requests without a key", async () => {
    const { url } = await startCollector({ AUTH_API_KEYS: "k1" });
    await fetch(`${url}/v1/traces`);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.end("PRI * HTTP/2.0\r\n\r\n");
    await new Promise((resolve) => socket.resume().once("close", resolve));
    const { refused } = (await (
      await fetch(`${url}/v1/events`, { headers: { "X-API-Key": "k1" } })
    ).json()) as Events;
    expect(refused.map(({ code }) => code)).toEqual(["invalid_http", "unauthorized"]);
  });

  it("keeps the last 100 rejected requests and the last 200 warnings", async () => {
    const { url, get } = await startCollector();
    for (let index = 0; index < 110; index++) await fetch(`${url}/v1/trace${index}`, { method: "POST" });
    const { refused } = await get<Events>("/v1/events");
    expect(refused).toHaveLength(100);
    expect(refused.at(-1)?.path).toBe("/v1/trace10");
  });

  it("lists warnings of the log with their logger", async () => {
    const { post, get, settled } = await startCollector({ LIMITS_MAX_QUEUE_SIZE: "10" });
    await post({ spans: Array.from({ length: 8 }, () => span()) });
    await settled();
    const { warnings } = await get<Events>("/v1/events");
    expect(warnings).toMatchObject([{ level: "WARNING", logger: "queue", count: 1 }]);
    expect(warnings[0]?.message).toContain("80");
  });
});
