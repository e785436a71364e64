import { expect, it } from "vitest";
import { copyFields, elementsOf, field, fieldsOf } from "../../src/integrations/json-fields.js";
import { anthropicMessage } from "../../src/integrations/wire/anthropic.js";
import { geminiEmbeddings } from "../../src/integrations/wire/gemini-embeddings.js";
import { geminiInteraction } from "../../src/integrations/wire/gemini-interactions.js";
import { geminiContent } from "../../src/integrations/wire/gemini.js";
import { openaiChat } from "../../src/integrations/wire/openai-chat.js";
import { openaiResponses } from "../../src/integrations/wire/openai-responses.js";

const READERS = [
  openaiChat,
  openaiResponses,
  anthropicMessage,
  geminiContent,
  geminiInteraction,
  geminiEmbeddings,
];

/** An object whose fields and inherited fields are all getters. */
function withGetters(names: readonly string[], onRead: (name: string) => void): object {
  const getters = Object.fromEntries(
    names.map((name) => [name, { get: () => onRead(name), enumerable: true, configurable: true }]),
  );
  const parent: object = Object.defineProperties({}, getters);
  return Object.create(parent, getters) as object;
}

it("reads own data properties, and runs no getter", () => {
  const read: string[] = [];
  const value = withGetters(["model", "text"], (name) => read.push(name));
  expect([field(value, "model"), field(value, "text"), field("text", "length"), field(null, "a")]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(field(Object.create({ model: "inherited" }), "model")).toBeUndefined();
  expect(read).toEqual([]);
});

it("no reader runs a getter of a request, a message, a response or a chunk", () => {
  const read: string[] = [];
  const names = [
    "role",
    "content",
    "type",
    "text",
    "tool_calls",
    "name",
    "function",
    "usage",
    "model",
    "parts",
  ];
  const value = withGetters([...names, "id", "input", "args", "candidates"], (name) => read.push(name));
  const holder = { role: "user", content: [value], parts: [value] };
  for (const reader of READERS) {
    reader.readRequest({
      messages: [value, holder],
      contents: [value, holder],
      input: [value, holder],
      tools: [value],
    });
    reader.readRequest(value);
    reader.readResponse({
      choices: [value, { message: value }],
      output: [value],
      usage: value,
      usageMetadata: value,
    });
    reader.readResponse({
      content: [value],
      candidates: [value, { content: value }],
      steps: [value],
      embeddings: [value],
    });
    reader.readResponse(value);
    const accumulator = reader.createAccumulator?.();
    for (const chunk of [
      value,
      { candidates: [value, { content: holder }], usageMetadata: value },
      { type: "message_start", message: value },
      { type: "content_block_start", content_block: value },
      { type: "message_delta", delta: value, usage: value },
      { event_type: "step.start", index: 0, step: value },
      { event_type: "step.delta", index: 0, delta: value },
      { event_type: "interaction.completed", interaction: value },
    ])
      accumulator?.add(chunk);
    if (accumulator !== undefined) reader.readResponse(accumulator.response());
  }
  expect(read).toEqual([]);
});

it("runs no trap of a Proxy, and reads no field of it", () => {
  const traps: string[] = [];
  const handler = new Proxy<ProxyHandler<object>>(
    {},
    {
      get: (_, name) => {
        traps.push(String(name));
        return undefined;
      },
    },
  );
  const object = new Proxy({ model: "m", choices: [{}] }, handler);
  const list = new Proxy([{ role: "user" }], handler);
  const { proxy: revoked, revoke } = Proxy.revocable<unknown[]>([], {});
  revoke();
  for (const value of [object, list, revoked])
    expect([field(value, "model"), fieldsOf(value), copyFields(value), elementsOf(value)]).toEqual([
      undefined,
      undefined,
      {},
      [],
    ]);
  for (const { readRequest, readResponse, createAccumulator } of READERS) {
    for (const value of [
      object,
      list,
      { messages: list, contents: list, choices: list, content: list, output: list },
    ]) {
      readRequest(value);
      readResponse(value);
      createAccumulator?.().add(value);
    }
  }
  expect(traps).toEqual([]);
});
