import { afterAll, expect, it, vi } from "vitest";
import { freshSdk, type Sdk } from "../fresh-sdk.js";
import type { Span } from "../../src/wire/index.js";
import { answer, startReceiver, type Receiver } from "./receiver.js";

/** Texts are sent by a timer, and many tests run at the same time. */
vi.setConfig({ testTimeout: 60_000 });
afterAll(() => vi.resetConfig());

type Options = Parameters<Sdk["configure"]>[0];

async function liveSdk(receiver: Receiver, options: Options = {}): Promise<Sdk> {
  const sdk = await freshSdk();
  sdk.configure({ pushUrl: receiver.url, live: true, flushInterval: 60, ...options });
  return sdk;
}

/** The received spans with a text that is not complete. */
const partials = ({ requests }: Receiver): Span[] =>
  requests.flatMap(({ batch }) => batch.spans).filter((span) => textOf(span) !== undefined);

const textOf = ({ attributes }: Span): unknown => attributes?.["completion_partial"];

const lastText = (receiver: Receiver): unknown => partials(receiver).map(textOf).at(-1);

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 30_000, interval: 10 });

/** A stream whose pieces the test sends one by one. */
function controlledStream(): { send(piece: string): void; end(): void; stream: AsyncGenerator<string> } {
  const waiting: (string | undefined)[] = [];
  let wake = (): void => undefined;
  const add = (piece: string | undefined): void => {
    waiting.push(piece);
    wake();
  };
  async function* stream(): AsyncGenerator<string> {
    for (;;) {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const piece = waiting.shift();
      if (piece === undefined) return;
      yield piece;
    }
  }
  return { send: add, end: () => add(undefined), stream: stream() };
}

/** A model call of the app, which reads its stream. */
function startCall(sdk: Sdk) {
  const { send, end, stream } = controlledStream();
  const read = async (): Promise<string> => {
    let text = "";
    for await (const piece of sdk.llm("chat", async function* () {
      yield* stream;
    })())
      text += piece;
    return text;
  };
  return { send, end, done: read() };
}

it("a stream of llm() sends its start, then its text while it grows, and then its end", async () => {
  const receiver = await startReceiver();
  const sdk = await liveSdk(receiver);
  const { send, end, done } = startCall(sdk);
  send("The capital ");
  send("of Fran");
  await until(() => expect(lastText(receiver)).toBe("The capital of "));
  send("ce is Paris.");
  await until(() => expect(lastText(receiver)).toBe("The capital of France is "));
  end();
  expect(await done).toBe("The capital of France is Paris.");
  await sdk.flush();

  const spans = receiver.requests.flatMap(({ batch }) => batch.spans);
  expect(new Set(spans.map(({ span_id, trace_id }) => `${trace_id} ${span_id}`)).size).toBe(1);
  expect(spans[0]).toMatchObject({ name: "chat", status: "RUNNING" });
  expect(textOf(spans[0] as Span)).toBeUndefined();
  expect(spans.at(-1)).toMatchObject({
    status: "OK",
    attributes: { completion_text: "The capital of France is Paris." },
  });
  expect(spans.at(-1)?.attributes).not.toHaveProperty("completion_partial");
  // The start and the end; texts are not spans.
  expect(sdk.stats()).toMatchObject({ enqueued: 2, acked: 2, pending: 0 });
});

it("sends no text after the end, and none that did not change", async () => {
  const receiver = await startReceiver();
  const sdk = await liveSdk(receiver);
  const first = startCall(sdk);
  const second = startCall(sdk);
  first.send("first text ");
  second.send("second text ");
  await until(() => expect(partials(receiver)).toHaveLength(2));
  first.send("never shown ");
  first.end();
  await first.done;
  // The text of the other call shows that the timer went on.
  second.send("goes on ");
  await until(() => expect(lastText(receiver)).toBe("second text goes on "));
  expect(partials(receiver).map(textOf).sort()).toEqual([
    "first text ",
    "second text ",
    "second text goes on ",
  ]);
  second.end();
  await second.done;
});

it.each<[string, Options]>([
  ["live is off", { live: false }],
  ["completions are not captured", { captureCompletion: false }],
  ["only metadata is captured", { capture: "metadata" }],
  ["the trace is not sampled", { sampleRate: 0 }],
  ["beforeSend() drops the span", { beforeSend: () => null }],
])("sends no text if %s", async (_, options) => {
  const receiver = await startReceiver();
  const sdk = await liveSdk(receiver, { flushInterval: 0.05, ...options });
  const { send, end, done } = startCall(sdk);
  for (let tick = 0; tick < 2; tick++) {
    send("some secret text ");
    await new Promise((resolve) => setTimeout(resolve, 260));
  }
  expect(partials(receiver)).toEqual([]);
  end();
  await done;
});

it("masks a text as the completion that it becomes, whole", async () => {
  const receiver = await startReceiver();
  const keys = new Set<string>();
  const sdk = await liveSdk(receiver, {
    mask: (text, key) => {
      keys.add(key);
      return text.replaceAll("s3cret word", "***");
    },
  });
  const { send, end, done } = startCall(sdk);
  const rest = " and more text that is long enough to be shown beyond what a mask holds back ".repeat(2);
  for (const piece of ["It is s3c", "ret ", "wo", "rd", rest]) send(piece);
  await until(() => expect(lastText(receiver)).toMatch(/^It is \*\*\* and more/));
  end();
  await done;
  await sdk.flush();
  expect(JSON.stringify(receiver.requests.map(({ batch }) => batch))).not.toContain("s3cret");
  expect(keys).toEqual(new Set(["completion_text"]));
});

it("beforeSend() gets the text in the running span, and may change it", async () => {
  const receiver = await startReceiver();
  const sdk = await liveSdk(receiver, {
    beforeSend: (span) => {
      const text = span.attributes?.["completion_partial"];
      return typeof text !== "string"
        ? span
        : { ...span, attributes: { completion_partial: `${span.name}: ${text.toUpperCase()}` } };
    },
  });
  const { send, end, done } = startCall(sdk);
  send("hello there ");
  await until(() => expect(lastText(receiver)).toBe("chat: HELLO THERE "));
  end();
  await done;
});

it("a collector that refuses or hangs delays no span, and the text comes when it answers again", async () => {
  const hanging = new Set<() => void>();
  let isWell = false;
  const receiver = await startReceiver((response, request, socket) => {
    const isText = request.batch.spans.some((span) => textOf(span) !== undefined);
    if (!isText || isWell) answer(202)(response, request, socket);
    else hanging.add(() => answer(429)(response, request, socket));
  });
  const sdk = await liveSdk(receiver, { batchSize: 1 });
  const { send, end, done } = startCall(sdk);
  send("some text ");
  await until(() => expect(hanging.size).toBe(1));
  for (let call = 0; call < 20; call++) sdk.task(`step ${call}`, () => undefined)();
  expect(await sdk.flush()).toBe(true);
  expect(new Set(receiver.names.filter((name) => name.startsWith("step"))).size).toBe(20);
  for (const refuse of hanging) refuse();
  isWell = true;
  await until(() => expect(partials(receiver).length).toBeGreaterThan(1));
  expect(lastText(receiver)).toBe("some text ");
  end();
  await done;
  expect(sdk.stats().dropped).toMatchObject({ queue_full: 0, retries_exhausted: 0, refused: 0 });
});

it("bounds the text of many small pieces, and the number of requests", async () => {
  const receiver = await startReceiver();
  const sdk = await liveSdk(receiver);
  const startedMs = performance.now();
  const stream = sdk.llm("chat", async function* () {
    // Seven times what is sent of a text, during several intervals.
    for (let piece = 0; piece < 10_000; piece++) {
      if (piece % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 40));
      yield `p${piece} `;
    }
  })();
  let pieces = 0;
  for await (const piece of stream) pieces += piece === "" ? 0 : 1;
  const elapsedMs = performance.now() - startedMs;
  expect(pieces).toBe(10_000);
  const shown = partials(receiver);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.length).toBeLessThanOrEqual(elapsedMs / 250 + 1);
  for (const span of shown) expect(Buffer.byteLength(String(textOf(span)))).toBeLessThanOrEqual(8192);
  await sdk.flush();
});

it.each<[string, Options]>([
  ["without a mask", {}],
  ["with a mask", { mask: (text) => text.replaceAll("secret", "***") }],
])("bounds the text of pieces of 1 MB, %s", async (_, options) => {
  const receiver = await startReceiver();
  const sdk = await liveSdk(receiver, options);
  const { send, end, done } = startCall(sdk);
  for (let piece = 0; piece < 5; piece++) {
    send("a secret word ".repeat(75_000));
    await until(() => expect(partials(receiver)).not.toHaveLength(0));
  }
  const [shown] = partials(receiver).map(textOf);
  expect(shown).toMatch(/^…(?:secret|\*\*\*|word|a) /);
  expect(Buffer.byteLength(String(shown))).toBeLessThanOrEqual(8192);
  end();
  await done;
});

it("follows a thousand calls at most, and sends their texts in requests of a bounded size", async () => {
  const receiver = await startReceiver();
  const sdk = await liveSdk(receiver, { batchSize: 2000 });
  const calls = Array.from({ length: 1200 }, () => startCall(sdk));
  for (const { send } of calls) send("12 kB of text ".repeat(850));
  await until(() => expect(new Set(partials(receiver).map(({ span_id }) => span_id)).size).toBe(1000));
  for (const { batch, bytes } of receiver.requests)
    if (batch.spans.some((span) => textOf(span) !== undefined)) expect(bytes).toBeLessThan(1_200_000);
  for (const { end } of calls) end();
  await Promise.all(calls.map(({ done }) => done));
  // Ended calls are let go.
  const next = startCall(sdk);
  next.send("one more ");
  await until(() => expect(lastText(receiver)).toBe("one more "));
  next.end();
  await next.done;
});
