import { expect, it } from "vitest";
import { embeddings } from "../../../src/integrations/openai/embeddings.js";

it("the input of an embedding may be a text, several texts or tokens", () => {
  expect(embeddings.readRequest({ model: "m", input: "one" })["input_text"]).toBe("one");
  expect(embeddings.readRequest({ model: "m", input: ["one", "two"] })["input_text"]).toBe("one\ntwo");
  expect(embeddings.readRequest({ model: "m", input: [[1, 2], [3]] })).not.toHaveProperty("input_text");
});
