import { expect, it, vi } from "vitest";
import { takeSpans } from "../../../src/index.js";
import { collectGarbage } from "../../collect-garbage.js";
import { listenToConsole } from "../../fresh-sdk.js";
import { recordedExchange } from "../../replay/exchange.js";
import { chatChunk, USAGE_CHUNK, writtenExchange } from "../../replay/written-exchange.js";
import { chatStreamRequest } from "./replay-client.js";
import { onlySpan, tracedClients } from "./traced-client.js";

const { ready, server } = tracedClients();

const REQUEST = {
  model: "gpt-5-mini",
  messages: [{ role: "user" as const, content: "Hi" }],
  stream: true as const,
};
const HELLO = [
  chatChunk({ role: "assistant", content: "" }),
  chatChunk({ content: "Hel" }),
  chatChunk({ content: "lo" }),
  chatChunk({}, "stop"),
];

async function textOf(
  stream: AsyncIterable<{ choices: { delta: { content?: string | null } }[] }>,
): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  return text;
}

it("asks for token counts if the app does not, and hides the chunk with them", async () => {
  const client = ready(writtenExchange({ request: REQUEST, chunks: [...HELLO, USAGE_CHUNK] }));
  const seen: unknown[] = [];
  for await (const chunk of await client.chat.completions.create(REQUEST)) seen.push(chunk);
  expect(seen).toEqual(HELLO);
  expect(server().requests.at(-1)?.body).toMatchObject({ stream_options: { include_usage: true } });
  expect(REQUEST).not.toHaveProperty("stream_options");
  expect(onlySpan().attributes).toMatchObject({
    tokens_input: 12,
    tokens_output: 5,
    tokens_cached: 4,
    tokens_reasoning: 2,
    completion_text: "Hello",
  });
});

it("keeps the app's other stream options when it asks for token counts", async () => {
  const request = { ...REQUEST, stream_options: { include_obfuscation: false } };
  const client = ready(writtenExchange({ request, chunks: HELLO }));
  await textOf(await client.chat.completions.create(request));
  expect(server().requests.at(-1)?.body).toMatchObject({
    stream_options: { include_obfuscation: false, include_usage: true },
  });
  takeSpans();
});

it.each([
  ["the app asks for token counts itself", { stream_options: { include_usage: true } }, {}, 5],
  ["the app declines token counts", { stream_options: { include_usage: false } }, {}, 5],
  ["includeUsage is false", {}, { wrap: { includeUsage: false } }, 5],
])("does not change request and chunks if %s", async (_case, more, options, count) => {
  const request = { ...REQUEST, ...more };
  const client = ready(writtenExchange({ request, chunks: [...HELLO, USAGE_CHUNK] }), options);
  const seen: unknown[] = [];
  for await (const chunk of await client.chat.completions.create(request)) seen.push(chunk);
  expect(seen).toHaveLength(count);
  expect(server().requests.at(-1)?.body).toEqual(request);
  takeSpans();
});

it("does not ask providers that always send token counts, or an old version of Azure", async () => {
  for (const id of ["mistral-chat-stream-tool", "groq-chat-stream-xgroq-usage", "azure-openai-chat-stream"]) {
    const exchange = recordedExchange(id);
    const client = ready(exchange);
    await textOf(await client.chat.completions.create(chatStreamRequest(exchange)));
    expect(server().requests.at(-1)?.body, id).not.toHaveProperty("stream_options");
  }
  takeSpans();
});

it("does not ask a server that may reject the field, and warns once how to get token counts", async () => {
  const { warnings } = listenToConsole();
  const exchange = { ...writtenExchange({ request: REQUEST, chunks: HELLO }), provider: "gateway" };
  for (const call of [1, 2]) {
    expect(await textOf(await ready(exchange).chat.completions.create(REQUEST)), `call ${call}`).toBe(
      "Hello",
    );
    expect(server().requests.at(-1)?.body).toEqual(REQUEST);
  }
  expect(warnings).toEqual([
    "[obspan] Streams of llm.example.com have no token counts. If the server supports " +
      "stream_options.include_usage, set wrapOpenAI(client, { includeUsage: true }).",
  ]);
  takeSpans();
});

it("asks any server if includeUsage is true, and hides the chunk with the token counts", async () => {
  const chunks = [...HELLO, USAGE_CHUNK];
  const exchange = { ...writtenExchange({ request: REQUEST, chunks }), provider: "gateway" };
  const client = ready(exchange, { wrap: { includeUsage: true } });
  const seen: unknown[] = [];
  for await (const chunk of await client.chat.completions.create(REQUEST)) seen.push(chunk);
  expect(seen).toEqual(HELLO);
  expect(server().requests.at(-1)?.body).toMatchObject({ stream_options: { include_usage: true } });
  expect(onlySpan().attributes).toMatchObject({ tokens_output: 5 });
});

it("measures the time to the first chunk with generated content, not to the first chunk", async () => {
  const released: number[] = [];
  const client = ready(writtenExchange({ request: REQUEST, chunks: HELLO }), {
    async beforePiece(position) {
      if (position === 1) await new Promise((resolve) => setTimeout(resolve, 40));
      released[position] = performance.now();
    },
  });
  await textOf(await client.chat.completions.create(REQUEST));
  const [first = 0, second = 0] = released;
  // The span started before the first chunk was sent, which has only the role.
  expect(onlySpan().attributes["ttft_ms"]).toBeGreaterThanOrEqual(second - first);
});

it.each([
  ["text", { content: "a" }],
  ["reasoning of DeepSeek", { reasoning_content: "a" }],
  ["reasoning of OpenRouter", { reasoning: "a" }],
  ["a refusal", { refusal: "a" }],
  ["audio", { audio: { id: "audio_1", data: "AAAA" } }],
  [
    "a tool call",
    { tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "" } }] },
  ],
  ["a legacy function call", { function_call: { name: "f", arguments: "" } }],
])("counts %s as generated content", async (_what, delta) => {
  const chunks = [chatChunk({ role: "assistant", content: "" }), chatChunk(delta), chatChunk({}, "stop")];
  const client = ready(writtenExchange({ request: REQUEST, chunks }));
  await textOf(await client.chat.completions.create(REQUEST));
  expect(onlySpan().attributes).toHaveProperty("ttft_ms");
});

it("has no time to the first token if nothing is generated", async () => {
  const chunks = [chatChunk({ role: "assistant", content: "" }), chatChunk({}, "stop")];
  const client = ready(writtenExchange({ request: REQUEST, chunks }));
  await textOf(await client.chat.completions.create(REQUEST));
  expect(onlySpan().attributes).not.toHaveProperty("ttft_ms");
});

it("ends the span as aborted, with the part that arrived, when the reader stops early", async () => {
  const client = ready(writtenExchange({ request: REQUEST, chunks: [...HELLO, USAGE_CHUNK] }), {
    beforePiece: (position) => (position < 2 ? undefined : new Promise(() => undefined)),
  });
  for await (const chunk of await client.chat.completions.create(REQUEST)) {
    if (chunk.choices[0]?.delta.content === "Hel") break;
  }
  const span = onlySpan();
  expect(span).toMatchObject({ status: "OK", attributes: { aborted: true, completion_text: "Hel" } });
  expect(span.attributes).not.toHaveProperty("tokens_output");
  await server().requests.at(-1)?.abandoned;
});

it("does not mark a stream as aborted whose reader stops after the finish", async () => {
  const client = ready(writtenExchange({ request: REQUEST, chunks: HELLO }));
  for await (const chunk of await client.chat.completions.create(REQUEST)) {
    if (chunk.choices[0]?.finish_reason === "stop") break;
  }
  const { attributes } = onlySpan();
  expect(attributes).toMatchObject({ completion_text: "Hello", finish_reason: "stop" });
  expect(attributes).not.toHaveProperty("aborted");
});

it("ends the span when the stream's controller aborts, read or not", async () => {
  const stalled = {
    beforePiece: (position: number) => (position < 2 ? undefined : new Promise<void>(() => undefined)),
  };
  const read = await ready(
    writtenExchange({ request: REQUEST, chunks: HELLO }),
    stalled,
  ).chat.completions.create(REQUEST);
  let text = "";
  for await (const chunk of read) {
    text += chunk.choices[0]?.delta.content ?? "";
    if (text !== "") read.controller.abort();
  }
  expect(onlySpan().attributes).toMatchObject({ aborted: true, completion_text: "Hel" });

  const unread = await ready(
    writtenExchange({ request: REQUEST, chunks: HELLO }),
    stalled,
  ).chat.completions.create(REQUEST);
  unread.controller.abort();
  await expect.poll(() => onlySpan().attributes).toMatchObject({ aborted: true });
});

it("ends the span as failed, with the part that arrived, when the connection breaks", async () => {
  let hasRead: () => void = () => undefined;
  const read = new Promise<void>((resolve) => (hasRead = resolve));
  const client = ready(writtenExchange({ request: REQUEST, chunks: HELLO }), {
    breakOff: { afterPieces: 2, how: "reset" },
    beforePiece: (position) => (position < 2 ? undefined : read),
  });
  const stream = await client.chat.completions.create(REQUEST);
  const reading = async (): Promise<void> => {
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === "Hel") hasRead();
  };
  await expect(reading()).rejects.toThrow();
  expect(onlySpan()).toMatchObject({
    status: "ERROR",
    attributes: { completion_text: "Hel", error_type: expect.stringMatching(/TypeError|UND_ERR|ECONN/) },
  });
});

it("ends the span of a stream that is garbage-collected", async () => {
  const readFirst = async (): Promise<void> => {
    const client = ready(writtenExchange({ request: REQUEST, chunks: HELLO }));
    const chunks = (await client.chat.completions.create(REQUEST))[Symbol.asyncIterator]();
    await chunks.next();
    await chunks.next();
  };
  const startMs = performance.now();
  await readFirst();
  const readMs = performance.now() - startMs;
  expect(takeSpans()).toEqual([]);
  await vi.waitFor(
    () => {
      collectGarbage();
      const { attributes, duration_ms: durationMs } = onlySpan();
      expect(attributes).toMatchObject({ aborted: true, completion_text: "Hel" });
      // It ended with the last chunk that was read, not when it was garbage-collected.
      expect(durationMs).toBeLessThanOrEqual(readMs);
    },
    { timeout: 30_000 },
  );
});

it("passes the complete stream to both branches of tee(), in one span", async () => {
  const client = ready(writtenExchange({ request: REQUEST, chunks: [...HELLO, USAGE_CHUNK] }));
  const stream = await client.chat.completions.create(REQUEST);
  const [left, right] = stream.tee();
  expect(await Promise.all([textOf(left), textOf(right)])).toEqual(["Hello", "Hello"]);
  expect(onlySpan().attributes).toMatchObject({ completion_text: "Hello", tokens_output: 5 });
});

it("passes the stream through toReadableStream()", async () => {
  const client = ready(writtenExchange({ request: REQUEST, chunks: HELLO }));
  const stream = await client.chat.completions.create(REQUEST);
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of stream.toReadableStream() as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
  }
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(HELLO);
  expect(onlySpan().attributes).toMatchObject({ completion_text: "Hello" });
});

it("lets the client reject a second reader, and keeps the span of the first", async () => {
  const client = ready(writtenExchange({ request: REQUEST, chunks: HELLO }));
  const stream = await client.chat.completions.create(REQUEST);
  await textOf(stream);
  await expect(textOf(stream)).rejects.toThrow(/consumed/);
  expect(onlySpan()).toMatchObject({ status: "OK", attributes: { completion_text: "Hello" } });
});

it("returns the client's own stream", async () => {
  const client = ready(writtenExchange({ request: REQUEST, chunks: HELLO }));
  const stream = await client.chat.completions.create(REQUEST);
  expect(stream.constructor.name).toBe("Stream");
  expect(Object.keys(stream).sort()).toEqual(["controller", "iterator"]);
  await textOf(stream);
  takeSpans();
});
