import { createServer, type AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { freshSdk, listenToConsole, setEnvironment, type Sdk } from "../fresh-sdk.js";
import type { Span } from "../../src/wire/index.js";
import { answer, closedPort, lateAnswer, Receiver, startReceiver, type Reply } from "./receiver.js";

type Options = NonNullable<Parameters<Sdk["configure"]>[0]>;

/** What Node's transport does with connections. In edge runtimes `fetch()` decides. */
const isEdge = process.env["SDK_BUILD"] === "edge";
const itOnNode = it.skipIf(isEdge);

/** An SDK that sends to a receiver, only on flush() or when a batch is full. */
async function sendingSdk(pushUrl: string, options: Options = {}) {
  const sdk = await freshSdk();
  sdk.configure({ pushUrl, flushInterval: 600, retryBackoff: 0.001, shutdownTimeout: 1, ...options });
  return { ...sdk, makeSpans: (count: number, prefix = "s") => makeSpans(sdk, count, prefix) };
}

function makeSpans({ observe }: Sdk, count: number, prefix: string): void {
  for (let index = 0; index < count; index++) observe(`${prefix}${index}`, () => 1);
}

/** The counts of stats() that are not zero. Checks that they add up. */
function ledger({ stats }: Pick<Sdk, "stats">) {
  const { enqueued, acked, dropped, pending } = stats();
  const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  expect(enqueued).toBe(acked + lost + pending);
  return {
    enqueued,
    acked,
    pending,
    ...Object.fromEntries(Object.entries(dropped).filter(([, n]) => n > 0)),
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe("spec 4.10 rule 1: requests", () => {
  it("are POST /v1/telemetry with service, env, version, batch_id and spans, and the key in X-API-Key", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url, {
      service: "shop",
      env: "production",
      version: "1.2.3",
      apiKey: "k-123",
      tenant: "acme",
      headers: { "X-Gateway": "a", "X-API-Key": "not this" },
    });
    sdk.makeSpans(2);
    await sdk.flush();
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: "POST", path: "/v1/telemetry" });
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "x-api-key": "k-123",
      "x-tenant-id": "acme",
      "x-gateway": "a",
    });
    expect(request?.batch).toMatchObject({
      service: "shop",
      env: "production",
      version: "1.2.3",
      batch_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      spans: [{ name: "s0", status: "OK" }, { name: "s1" }],
    });
    expect(ledger(sdk)).toEqual({ enqueued: 2, acked: 2, pending: 0 });
  });

  it("have no key header and no version if these are not set", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(1);
    await sdk.flush();
    expect(receiver.requests[0]?.headers).not.toHaveProperty("x-api-key");
    expect(receiver.requests[0]?.batch).not.toHaveProperty("version");
  });

  itOnNode("have at most batchSize spans, in order, one request at a time on one connection", async () => {
    const { reply, most } = lateAnswer(2);
    const receiver = await startReceiver(reply);
    const sdk = await sendingSdk(receiver.url, { batchSize: 10 });
    sdk.makeSpans(35);
    await sdk.flush();
    expect(receiver.requests.map(({ batch }) => batch.spans.length)).toEqual([10, 10, 10, 5]);
    expect(receiver.names).toEqual(Array.from({ length: 35 }, (_, index) => `s${index}`));
    expect(new Set(receiver.requests.map(({ batch }) => batch.batch_id)).size).toBe(4);
    expect([most(), receiver.connections]).toEqual([1, 1]);
  });

  it("send a full batch at once, and the rest after flushInterval", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url, { batchSize: 10, flushInterval: 0.05 });
    sdk.makeSpans(15);
    await until(() => receiver.requests.length === 2);
    expect(receiver.requests.map(({ batch }) => batch.spans.length)).toEqual([10, 5]);
    await until(() => sdk.stats().acked === 15);
  });

  it("gather at a high rate, have at most batchSize spans then too, and flush() does not wait for more", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url, { batchSize: 10, flushInterval: 60 });
    for (let made = 0; made < 200; made += 10) {
      sdk.makeSpans(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => sdk.stats().acked === 200);
    sdk.makeSpans(15);
    await sdk.flush();
    expect(sdk.stats()).toMatchObject({ acked: 215, pending: 0 });
    expect(receiver.requests.map(({ batch }) => batch.spans.length)).toEqual([
      ...Array<number>(21).fill(10),
      5,
    ]);
  });

  it("compress bodies above 1 KiB to another machine", async () => {
    const receiver = await startReceiver();
    // The same machine, by an address that is not recognised as such.
    const sdk = await sendingSdk(receiver.url.replace("127.0.0.1", "0.0.0.0"));
    sdk.makeSpans(1);
    await sdk.flush();
    sdk.makeSpans(50);
    await sdk.flush();
    const [small, large] = receiver.requests;
    expect(small?.headers).not.toHaveProperty("content-encoding");
    expect(large?.headers["content-encoding"]).toBe("gzip");
    expect(large?.bytes).toBeLessThan(4000);
    expect(large?.batch.spans).toHaveLength(50);
  });

  it("do not compress to the same machine", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(50);
    await sdk.flush();
    expect(receiver.requests[0]?.headers).not.toHaveProperty("content-encoding");
    expect(receiver.requests[0]?.batch.spans).toHaveLength(50);
  });

  it.each([
    ["that fit into the reused memory", 1000],
    ["that fit only by their bytes", 1500],
    ["that do not fit", 3000],
  ])("send bodies %s completely, one after the other", async (_, length) => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url);
    const texts = Array.from({ length: 250 }, (_, index) => `${index} ü `.padEnd(length, "日本 text "));
    for (const text of texts) sdk.observe({ name: "chat", attributes: { text } }, () => 1);
    await sdk.flush();
    const received = receiver.requests.flatMap(({ batch }) =>
      batch.spans.map(({ attributes }) => attributes?.["text"] as string),
    );
    // The build for edge runtimes sends several batches at the same time.
    const byIndex = (a: string, b: string) => parseInt(a) - parseInt(b);
    expect(isEdge ? received.toSorted(byIndex) : received).toEqual(texts);
  });

  it("are split if spans are large, so that the collector accepts each", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url);
    for (let index = 0; index < 8; index++)
      sdk.observe(
        { name: "large", attributes: { text: "x".repeat(990_000), more: "y".repeat(990_000) } },
        () => 1,
      );
    await sdk.flush();
    expect(receiver.requests.map(({ batch }) => batch.spans.length)).toEqual([2, 2, 2, 2]);
  });

  it("send the start of a span soon with live, and its end replaces it", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url, { live: true });
    const span = sdk.startSpan("work");
    await until(() => receiver.requests.length === 1);
    span.end();
    await sdk.flush();
    const sent = receiver.requests.flatMap(({ batch }) => batch.spans);
    expect(sent.map(({ status, span_id }) => [status, span_id])).toEqual([
      ["RUNNING", span.spanId],
      ["OK", span.spanId],
    ]);
  });

  it("keep the buffer within maxQueueBytes with live, even if spans grow after their start", async () => {
    listenToConsole();
    const options = { live: true, maxQueueBytes: 100_000, maxRetries: 0 };
    const sdk = await sendingSdk(`http://127.0.0.1:${await closedPort()}`, options);
    const spans = Array.from({ length: 20 }, (_, index) => sdk.startSpan(`s${index}`));
    for (const span of spans) span.setAttribute("text", "x".repeat(20_000)).end();
    // Four of them fit.
    expect(ledger(sdk)).toEqual({ enqueued: 20, acked: 0, pending: 4, queue_full: 16 });
    expect(sdk.takeSpans().map(({ name, status }) => [name, status])).toEqual(
      ["s0", "s1", "s2", "s3"].map((name) => [name, "OK"]),
    );
    await sdk.flush();
    expect(ledger(sdk)).toMatchObject({ pending: 0 });
  });

  it("release texts once they are sent, even if code still holds the span", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url);
    const span = sdk.startSpan({ name: "held", attributes: { prompt_text: "long" } });
    span.end();
    await sdk.flush();
    expect(span).toMatchObject({ attributes: {} });
    expect(receiver.requests[0]?.batch.spans[0]?.attributes).toMatchObject({ prompt_text: "long" });
  });
});

it("root spans carry the revision that the app runs", async () => {
  setEnvironment({ GITHUB_SHA: "b".repeat(40), GITHUB_REF_NAME: "main" });
  const receiver = await startReceiver();
  const { observe, flush } = await sendingSdk(receiver.url);
  observe("root", () => observe("child", () => 1));
  await flush();
  const [child, root] = receiver.requests[0]?.batch.spans ?? [];
  expect(root?.attributes).toEqual({ "vcs.ref.head.revision": "b".repeat(40), "vcs.ref.head.name": "main" });
  expect(child?.attributes).toEqual({});
});

it("the revision replaces no attribute of a span, and does not change a span that runs", async () => {
  setEnvironment({ GITHUB_SHA: "b".repeat(40), GITHUB_REF_NAME: "main" });
  const receiver = await startReceiver();
  const { startSpan, flush } = await sendingSdk(receiver.url, { live: true });
  const span = startSpan({ name: "root", attributes: { "vcs.ref.head.name": null, cart: 3 } });
  await flush();
  span.end();
  await flush();
  const sent = receiver.requests.flatMap(({ batch }) => batch.spans);
  expect(sent.map(({ status }) => status)).toEqual(["RUNNING", "OK"]);
  for (const { attributes } of sent)
    expect(attributes).toEqual({
      "vcs.ref.head.revision": "b".repeat(40),
      "vcs.ref.head.name": null,
      cart: 3,
    });
});

describe("the revision in a batch", () => {
  const revision = { "vcs.ref.head.revision": "b".repeat(40), "vcs.ref.head.name": 'topic/"é"\\' };
  const texts = {
    text: '{"attributes":{"a":1}},"x":0}',
    nested: { attributes: { a: [{}] } },
    last: { a: {} },
  };

  async function spansSent(options: Options, make: (sdk: Sdk) => void, ...replies: Reply[]) {
    setEnvironment({
      GITHUB_SHA: revision["vcs.ref.head.revision"],
      GITHUB_REF_NAME: revision["vcs.ref.head.name"],
    });
    const receiver = await startReceiver(...replies);
    const sdk = await sendingSdk(receiver.url, options);
    make(sdk);
    await sdk.flush();
    const sent = receiver.requests.filter((_, at) => at >= replies.length - 1);
    return sent.flatMap(({ batch }) => batch.spans);
  }

  it("is an attribute of each root span, whatever the span contains", async () => {
    const sent = await spansSent({}, ({ observe }) => {
      observe({ name: "root", attributes: texts }, (span) => {
        span.addEvent("seen", texts);
        observe({ name: "child", attributes: texts }, () => 1);
      });
      observe({ name: "next", attributes: { a: "é" } }, () => 1);
      observe("empty", () => 1);
      observe({ name: "own", attributes: { "vcs.ref.head.name": "other", a: 1 } }, () => 1);
    });
    expect(sent.map(({ name, attributes }) => [name, attributes])).toEqual([
      ["child", texts],
      ["root", { ...texts, ...revision }],
      ["next", { a: "é", ...revision }],
      ["empty", revision],
      ["own", { ...revision, "vcs.ref.head.name": "other", a: 1 }],
    ]);
    expect(sent[1]?.events?.[0]?.attributes).toEqual(texts);
    const keys = "attributes,duration_ms,name,span_id,span_type,start_time,status,trace_id";
    expect(
      Object.keys(sent[2] ?? {})
        .toSorted()
        .join(),
    ).toBe(keys);
  });

  it("is sent with what beforeSend() returns, in any order of keys", async () => {
    const beforeSend = ({ name, attributes, ...rest }: Span): Span =>
      name === "plain"
        ? { attributes: { ...attributes, b: 2 }, name, ...rest, status: "DONE" }
        : { ...rest, attributes: { ...attributes, "vcs.ref.head.revision": "mine" }, name };
    const sent = await spansSent({ beforeSend }, ({ observe }) => {
      observe({ name: "plain", attributes: { a: 1 } }, () => 1);
      observe({ name: "other", attributes: { a: 1 } }, () => 1);
    });
    expect(sent.map(({ name, status, attributes }) => [name, status, attributes])).toEqual([
      ["plain", "DONE", { a: 1, b: 2, ...revision }],
      ["other", "OK", { ...revision, a: 1, "vcs.ref.head.revision": "mine" }],
    ]);
  });

  it("is sent again with a retry, and with the halves of a batch that is too large", async () => {
    const make = ({ observe }: Sdk): void => {
      for (const name of ["one", "two"]) observe({ name, attributes: { a: 1 } }, () => 1);
    };
    for (const status of [503, 413]) {
      const sent = await spansSent({}, make, answer(status), answer(202));
      expect(sent.map(({ name, attributes }) => [name, attributes])).toEqual([
        ["one", { a: 1, ...revision }],
        ["two", { a: 1, ...revision }],
      ]);
    }
  });
});

describe("spec 4.10 rule 2: failures", () => {
  it.each([500, 502, 503, 429])(
    "after a %d the batch is retried with the same batch_id until it is accepted",
    async (status) => {
      const receiver = await startReceiver(answer(status), answer(status), answer(202));
      const sdk = await sendingSdk(receiver.url);
      sdk.makeSpans(3);
      await sdk.flush();
      expect(receiver.requests).toHaveLength(3);
      expect(new Set(receiver.requests.map(({ batch }) => batch.batch_id)).size).toBe(1);
      expect(ledger(sdk)).toEqual({ enqueued: 3, acked: 3, pending: 0 });
    },
  );

  it("after maxRetries retries the batch is dropped, the next batch waits, and one warning is logged", async () => {
    const heard = listenToConsole();
    const receiver = await startReceiver(answer(500));
    const sdk = await sendingSdk(receiver.url, { maxRetries: 2, batchSize: 5 });
    sdk.makeSpans(10);
    await sdk.flush();
    expect(receiver.requests).toHaveLength(3);
    expect(ledger(sdk)).toEqual({ enqueued: 10, acked: 0, retries_exhausted: 5, pending: 5 });
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 10, acked: 0, retries_exhausted: 10, pending: 0 });
    expect(heard.warnings).toEqual([
      `[obspan] 5 spans were dropped: ${receiver.url}/v1/telemetry answered 500. stats() counts further drops.`,
    ]);
    receiver.replies = [answer(202)];
    sdk.makeSpans(1);
    await sdk.flush();
    expect(heard.warnings).toHaveLength(1);
  });

  it("maxRetries: 0 sends a batch once", async () => {
    listenToConsole();
    const receiver = await startReceiver(answer(503));
    const sdk = await sendingSdk(receiver.url, { maxRetries: 0 });
    sdk.makeSpans(1);
    await sdk.flush();
    expect([receiver.requests.length, ledger(sdk)]).toEqual([
      1,
      { enqueued: 1, acked: 0, retries_exhausted: 1, pending: 0 },
    ]);
  });

  it("a retry waits for Retry-After", async () => {
    const receiver = await startReceiver(answer(429, { "Retry-After": "1" }), answer(202));
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(1);
    await sdk.flush();
    const [first, second] = receiver.requests;
    expect(Number(second?.atMs) - Number(first?.atMs)).toBeGreaterThanOrEqual(990);
  });

  it.each([400, 401, 403, 404, 415, 422])(
    "after a %d the spans are dropped without a retry, and the next batch is sent",
    async (status) => {
      const heard = listenToConsole();
      const receiver = await startReceiver(answer(status), answer(202));
      const sdk = await sendingSdk(receiver.url, { batchSize: 5, apiKey: "top-secret" });
      sdk.makeSpans(10);
      await sdk.flush();
      expect(receiver.requests).toHaveLength(2);
      expect(ledger(sdk)).toEqual({ enqueued: 10, acked: 5, refused: 5, pending: 0 });
      expect(heard.warnings).toEqual([expect.stringContaining(`answered ${status}`)]);
      expect(heard.warnings[0]).not.toContain("top-secret");
    },
  );

  it("after a 413 the batch is sent in halves, and only a span that is too large alone is dropped", async () => {
    listenToConsole();
    const receiver = await startReceiver((response, { batch }) => {
      const isLarge = batch.spans.some(({ name }) => name === "s3");
      response.writeHead(isLarge ? 413 : 202).end();
    });
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(8);
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 8, acked: 7, too_large: 1, pending: 0 });
    expect(new Set(receiver.requests.map(({ batch }) => batch.batch_id)).size).toBe(receiver.requests.length);
  });

  it.each([200, 201, 204, 299])("any 2xx is an acknowledgement: %d with HTML", async (status) => {
    const receiver = await startReceiver(answer(status, { "Content-Type": "text/html" }, "<h1>Welcome</h1>"));
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(1);
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 1, acked: 1, pending: 0 });
  });

  it("an HTML error page, for example of a proxy, is judged by its status", async () => {
    listenToConsole();
    const receiver = await startReceiver(answer(404, { "Content-Type": "text/html" }, "<h1>Not here</h1>"));
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(1);
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 1, acked: 0, refused: 1, pending: 0 });
  });

  it("a response that never ends is cut off, and its status counts", async () => {
    const receiver = await startReceiver((response) => {
      response.writeHead(202);
      const timer = setInterval(() => response.write("x".repeat(30_000)), 1);
      response.once("close", () => clearInterval(timer));
    });
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(1);
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 1, acked: 1, pending: 0 });
  });

  it("if the collector is unreachable, the app continues, and only the first batch is tried", async () => {
    listenToConsole();
    const sdk = await sendingSdk(`http://127.0.0.1:${await closedPort()}`, { batchSize: 2 });
    sdk.makeSpans(6);
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 6, acked: 0, retries_exhausted: 2, pending: 4 });
    await sdk.shutdown();
    expect(ledger(sdk)).toMatchObject({ enqueued: 6, acked: 0, pending: 0 });
  });

  it("a collector that comes back gets the buffered spans", async () => {
    listenToConsole();
    const receiver = new Receiver();
    await receiver.start();
    const { port } = receiver;
    const sdk = await sendingSdk(receiver.url, { maxRetries: 100, retryBackoff: 0.02 });
    await receiver.stop();
    sdk.makeSpans(3);
    const flushed = sdk.flush();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(ledger(sdk)).toMatchObject({ pending: 3 });
    const revived = new Receiver();
    await revived.start(port);
    onTestFinished(() => revived.stop());
    await flushed;
    expect(revived.names).toEqual(["s0", "s1", "s2"]);
    expect(ledger(sdk)).toEqual({ enqueued: 3, acked: 3, pending: 0 });
  });

  it("a request to a slow collector ends after timeout, and is retried", async () => {
    const receiver = await startReceiver(() => undefined, answer(202));
    const sdk = await sendingSdk(receiver.url, { timeout: 0.3 });
    sdk.makeSpans(1);
    await sdk.flush();
    expect(receiver.requests).toHaveLength(2);
    expect(ledger(sdk)).toEqual({ enqueued: 1, acked: 1, pending: 0 });
  });

  it("a request to a collector that trickles its headers ends after timeout", async () => {
    listenToConsole();
    const server = createServer((socket) => {
      const timer = setInterval(() => socket.write("H"), 10);
      socket.on("error", () => undefined).once("close", () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const sdk = await sendingSdk(`http://127.0.0.1:${port}`, { timeout: 0.05, maxRetries: 1 });
    sdk.makeSpans(1);
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 1, acked: 0, retries_exhausted: 1, pending: 0 });
  });

  it("a request is retried after a connection reset", async () => {
    const receiver = await startReceiver((_, __, socket) => socket.resetAndDestroy(), answer(202));
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(1);
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 1, acked: 1, pending: 0 });
  });

  itOnNode(
    "after a response that comes before the body is sent, the rest of the body is not taken for the next request",
    async () => {
      const beginnings: string[] = [];
      let connections = 0;
      const server = createServer((socket) => {
        const isFirst = connections++ === 0;
        let isNew = true;
        socket.setEncoding("latin1").on("error", () => undefined);
        socket.on("data", (chunk: string) => {
          if (isNew) beginnings.push(chunk.slice(0, 20));
          // The first connection gets its response at the first bytes, and is not read further.
          if (isFirst) socket.pause();
          isNew = isFirst || chunk.endsWith("]}");
          if (isNew) socket.write("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const sdk = await sendingSdk(`http://127.0.0.1:${port}`, { batchSize: 10, maxRetries: 0 });
      for (let index = 0; index < 20; index++)
        sdk.observe({ name: `s${index}`, attributes: { text: "x".repeat(900_000) } }, () => 1);
      await sdk.flush();
      expect(beginnings.length).toBeGreaterThan(1);
      expect(new Set(beginnings)).toEqual(new Set(["POST /v1/telemetry H"]));
      expect(connections).toBe(2);
      expect(ledger(sdk)).toEqual({ enqueued: 20, acked: 20, pending: 0 });
    },
  );

  itOnNode("an idle connection that the server closed does not count as a retry", async () => {
    const receiver = await startReceiver(
      (response) => void response.writeHead(202).end(),
      (_, __, socket) => socket.destroy(),
      answer(202),
    );
    const sdk = await sendingSdk(receiver.url, { maxRetries: 0 });
    sdk.makeSpans(1);
    await sdk.flush();
    sdk.makeSpans(1);
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 2, acked: 2, pending: 0 });
  });

  it("a redirect to another origin is not followed, and gets neither key nor spans", async () => {
    const heard = listenToConsole();
    const elsewhere = await startReceiver();
    const receiver = await startReceiver(answer(307, { Location: `${elsewhere.url}/v1/telemetry` }));
    const sdk = await sendingSdk(receiver.url, { apiKey: "k" });
    sdk.makeSpans(1);
    await sdk.flush();
    expect([elsewhere.requests.length, ledger(sdk)]).toEqual([
      0,
      { enqueued: 1, acked: 0, refused: 1, pending: 0 },
    ]);
    expect(heard.warnings[0]).toContain("answered 307, and redirects are not followed to another origin");
  });

  it("a redirect within the origin is followed with the same body, a limited number of times", async () => {
    listenToConsole();
    const receiver = await startReceiver(answer(308, { Location: "/moved" }), answer(202));
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(1);
    await sdk.flush();
    expect(receiver.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1/telemetry",
      "POST /moved",
    ]);
    receiver.replies = [answer(307, { Location: "/round" })];
    sdk.makeSpans(1);
    await sdk.flush();
    expect(receiver.requests).toHaveLength(6);
    expect(ledger(sdk)).toEqual({ enqueued: 2, acked: 1, refused: 1, pending: 0 });
  });
});

describe("the bounds of the buffer", () => {
  it("maxQueueSize drops and counts the newest spans, with one warning", async () => {
    const heard = listenToConsole();
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url, { maxQueueSize: 10 });
    sdk.makeSpans(25);
    expect(ledger(sdk)).toEqual({ enqueued: 25, acked: 0, queue_full: 15, pending: 10 });
    await sdk.flush();
    expect(receiver.names).toEqual(Array.from({ length: 10 }, (_, index) => `s${index}`));
    expect(heard.warnings).toEqual([expect.stringContaining("the buffer is full (maxQueueSize = 10 spans")]);
  });

  it("maxQueueBytes holds with large texts", async () => {
    listenToConsole();
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url, { maxQueueBytes: 1_000_000 });
    for (let index = 0; index < 100; index++)
      sdk.observe({ name: "large", attributes: { prompt_text: "ü".repeat(50_000) } }, () => 1);
    const { pending } = ledger(sdk);
    expect(pending).toBe(9);
  });

  it("without a push URL the oldest spans are dropped, takeSpans() returns the rest, and nothing is sent", async () => {
    const sdk = await freshSdk();
    sdk.configure({ maxQueueSize: 10 });
    makeSpans(sdk, 25, "s");
    expect(ledger(sdk)).toEqual({ enqueued: 25, acked: 0, queue_full: 15, pending: 10 });
    await sdk.flush();
    expect(sdk.takeSpans().map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `s${index + 15}`),
    );
    expect(ledger(sdk)).toEqual({ enqueued: 25, acked: 10, queue_full: 15, pending: 0 });
  });

  it("stats() adds up at any moment while spans are added, sent, refused and dropped", async () => {
    listenToConsole();
    let count = 0;
    const receiver = await startReceiver((response, _, socket) => {
      const status = [202, 500, 202, 400, 429, 0, 413][count++ % 7] ?? 202;
      if (status === 0) socket.destroy();
      else setTimeout(() => response.writeHead(status).end(), 1);
    });
    const sdk = await sendingSdk(receiver.url, { batchSize: 7, maxRetries: 1, maxQueueSize: 50, live: true });
    for (let round = 0; round < 60; round++) {
      sdk.makeSpans(4);
      ledger(sdk);
      await new Promise((resolve) => setTimeout(resolve, 1));
      ledger(sdk);
    }
    await sdk.shutdown();
    const { enqueued, pending } = ledger(sdk);
    // With live, a start that was sent before its end counts separately.
    expect(enqueued).toBeGreaterThanOrEqual(240);
    expect(pending).toBe(0);
  });
});

describe("spec 4.10 rule 3: shutdown", () => {
  it("shutdown() sends the buffered spans, drops and counts later ones, and can be called twice", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(5);
    await Promise.all([sdk.shutdown(), sdk.shutdown()]);
    expect(receiver.names).toHaveLength(5);
    sdk.makeSpans(2);
    await sdk.shutdown();
    await sdk.flush();
    expect(ledger(sdk)).toEqual({ enqueued: 7, acked: 5, shutdown: 2, pending: 0 });
  });

  it("shutdown() waits at most shutdownTimeout, and counts the rest as dropped", async () => {
    listenToConsole();
    const receiver = await startReceiver(() => undefined);
    const sdk = await sendingSdk(receiver.url, { shutdownTimeout: 0.1, batchSize: 2 });
    sdk.makeSpans(5);
    const startedMs = performance.now();
    await sdk.shutdown();
    expect(performance.now() - startedMs).toBeLessThan(3000);
    expect(ledger(sdk)).toEqual({ enqueued: 5, acked: 0, shutdown: 5, pending: 0 });
  });

  it("shutdown() also sends spans that come in the meantime, and counts them as dropped if they never end", async () => {
    listenToConsole();
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url);
    sdk.makeSpans(1);
    const stopped = sdk.shutdown();
    sdk.makeSpans(1, "later");
    await stopped;
    expect(ledger(sdk)).toEqual({ enqueued: 2, acked: 2, pending: 0 });

    const busySdk = await sendingSdk(receiver.url);
    const busy = setInterval(() => busySdk.makeSpans(5, "later"), 0);
    busySdk.makeSpans(1);
    await busySdk.shutdown();
    clearInterval(busy);
    expect(ledger(busySdk)).toMatchObject({ pending: 0 });
  });

  it("shutdown() ends a long wait for a retry", async () => {
    listenToConsole();
    const receiver = await startReceiver(answer(429, { "Retry-After": "30" }));
    const sdk = await sendingSdk(receiver.url, { shutdownTimeout: 0.1 });
    sdk.makeSpans(1);
    await sdk.shutdown();
    expect(ledger(sdk)).toEqual({ enqueued: 1, acked: 0, shutdown: 1, pending: 0 });
  });

  it("flush() resolves when the buffered spans are settled, even if spans keep coming", async () => {
    const receiver = await startReceiver();
    listenToConsole();
    const sdk = await sendingSdk(receiver.url, { batchSize: 10 });
    sdk.makeSpans(10);
    const busy = setInterval(() => sdk.makeSpans(30, "later"), 0);
    await sdk.flush();
    clearInterval(busy);
    expect(receiver.names.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, index) => `s${index}`));
  });

  it("flush(), shutdown() and stats() work without a configuration", async () => {
    const sdk = await freshSdk();
    await sdk.flush();
    await sdk.shutdown();
    expect(ledger(sdk)).toEqual({ enqueued: 0, acked: 0, pending: 0 });
  });
});

it("the exporter's own requests are outside every span, and hidden from OpenTelemetry", async () => {
  const receiver = await startReceiver();
  const sdk = await sendingSdk(receiver.url, { batchSize: 1 });
  const suppressed: unknown[] = [];
  const active = { setValue: (key: symbol, value: unknown) => [key.description, value] };
  const api = {
    context: {
      active: () => active,
      with(context: unknown, fn: () => unknown) {
        suppressed.push(context);
        return fn();
      },
    },
  };
  Reflect.set(globalThis, Symbol.for("opentelemetry.js.api.1"), api);
  onTestFinished(() => void Reflect.deleteProperty(globalThis, Symbol.for("opentelemetry.js.api.1")));
  await sdk.observe("outer", async () => {
    sdk.makeSpans(1, "inner");
    await sdk.flush();
  });
  await sdk.flush();
  expect(suppressed[0]).toEqual(["OpenTelemetry SDK Context Key SUPPRESS_TRACING", true]);
  expect(receiver.names).toEqual(["inner0", "outer"]);
});

describe("the exporter never throws into the app", () => {
  it("with a percent sign in the password of the push URL", async () => {
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url.replace("//", "//user:50%off@"));
    sdk.makeSpans(1);
    await sdk.flush();
    expect(receiver.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from("user:50%off").toString("base64")}`,
    );
  });

  it("with timers that are numbers, as in a browser", async () => {
    const { setTimeout: setTimer } = globalThis;
    // Node's fetch, which sends the spans of an edge build, needs the timers of Node.
    const isOfNode = (): boolean => new Error().stack?.includes("node:internal/deps/undici") === true;
    vi.stubGlobal("setTimeout", (fn: () => void, ms?: number) =>
      isOfNode() ? setTimer(fn, ms) : Number(setTimer(fn, ms)),
    );
    vi.stubGlobal("setInterval", () => 1);
    onTestFinished(() => void vi.unstubAllGlobals());
    const receiver = await startReceiver();
    const sdk = await sendingSdk(receiver.url, { flushInterval: 0.01 });
    sdk.makeSpans(1);
    await until(() => receiver.names.length === 1);
    sdk.makeSpans(1, "t");
    await sdk.flush();
    expect(receiver.names).toEqual(["s0", "t0"]);
  });
});

describe("flush({ timeoutMs })", () => {
  it("resolves with true when all spans are settled, and with false at its limit; the spans are sent later", async () => {
    let respond = (): void => undefined;
    const receiver = await startReceiver((response) => {
      respond = () => void response.writeHead(202).end();
    }, answer(202));
    const { makeSpans, flush, stats } = await sendingSdk(receiver.url);
    expect(await flush()).toBe(true);
    makeSpans(2);
    expect(await flush({ timeoutMs: 50 })).toBe(false);
    await expect.poll(() => receiver.requests.length).toBe(1);
    expect(stats()).toMatchObject({ acked: 0, pending: 2 });
    respond();
    expect(await flush()).toBe(true);
    expect(stats()).toMatchObject({ acked: 2, pending: 0 });
  });

  it("is true where nothing is recorded", async () => {
    const { flush } = await freshSdk();
    expect(await flush()).toBe(true);
  });
});
