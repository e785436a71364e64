import { describe, expect, it } from "vitest";
import { errorOf, span, startCollector } from "../running-collector.js";
import { connectRaw, getRequest, until } from "./raw-connection.js";

const MAX_READERS = 500;

describe("reliability: readers of GET /v1/live", () => {
  it("leave connections for spans and probes", async () => {
    const { url, post } = await startCollector();
    const readers: Awaited<ReturnType<typeof connectRaw>>[] = [];
    for (let count = 0; count < MAX_READERS; count++) {
      const reader = await connectRaw(url);
      reader.socket.write(getRequest("/v1/live"));
      readers.push(reader);
    }
    await until(() => readers.every((reader) => reader.received().startsWith("HTTP/1.1 200")));

    const error = await errorOf(await fetch(`${url}/v1/live`));
    expect(error).toMatchObject({ status: 503, code: "overloaded", details: { max_readers: MAX_READERS } });
    expect((await post({ spans: [span()] })).status).toBe(202);
    expect((await fetch(`${url}/health`)).status).toBe(200);

    readers[0]?.socket.destroy();
    await until(async () => {
      const next = await connectRaw(url);
      next.socket.write(getRequest("/v1/live"));
      await until(() => next.received() !== "");
      next.socket.destroy();
      return next.received().startsWith("HTTP/1.1 200");
    });
  });

  it("of the texts of a trace give way to a new reader", async () => {
    const { url } = await startCollector();
    const readers: Awaited<ReturnType<typeof connectRaw>>[] = [];
    for (let count = 0; count < MAX_READERS; count++) {
      const reader = await connectRaw(url);
      reader.socket.write(getRequest("/v1/live?trace_id=none"));
      readers.push(reader);
    }
    await until(() => readers.every((reader) => reader.received().startsWith("HTTP/1.1 200")));
    const next = await connectRaw(url);
    next.socket.write(getRequest("/v1/live"));
    await until(() => next.received() !== "");
    expect(next.received()).toMatch(/^HTTP\/1\.1 200/);
    // The end of a response with chunks.
    await until(() => readers.filter((reader) => reader.received().endsWith("0\r\n\r\n")).length === 1);
  });
});
