import { expect, it } from "vitest";
import { field } from "../../src/integrations/json-fields.js";
import { openaiChat } from "../../src/integrations/wire/openai-chat.js";
import { openaiResponses } from "../../src/integrations/wire/openai-responses.js";

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

it("no reader runs a getter of a request, a message or a response", () => {
  const read: string[] = [];
  const names = ["role", "content", "type", "text", "tool_calls", "name", "function", "usage", "model"];
  const value = withGetters(names, (name) => read.push(name));
  for (const reader of [openaiChat, openaiResponses]) {
    reader.readRequest({
      messages: [value, { role: "user", content: [value] }],
      input: [value],
      tools: [value],
    });
    reader.readRequest(value);
    reader.readResponse({ choices: [value, { message: value }], output: [value], usage: value });
    reader.readResponse(value);
    reader.createAccumulator?.().add(value);
  }
  expect(read).toEqual([]);
});
