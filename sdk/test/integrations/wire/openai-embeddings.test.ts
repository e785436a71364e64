import { expect, it } from "vitest";
import { openaiEmbeddings } from "../../../src/integrations/wire/openai-embeddings.js";

it("the input of an embedding may be a text, several texts or tokens", () => {
  expect(openaiEmbeddings.readRequest({ model: "m", input: "one" })["input_text"]).toBe("one");
  expect(openaiEmbeddings.readRequest({ model: "m", input: ["one", "two"] })["input_text"]).toBe("one\ntwo");
  expect(openaiEmbeddings.readRequest({ model: "m", input: [[1, 2], [3]] })).not.toHaveProperty("input_text");
});
