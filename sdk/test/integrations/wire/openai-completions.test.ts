import { expect, it } from "vitest";
import { openaiCompletions } from "../../../src/integrations/wire/openai-completions.js";
import { streamed } from "./streamed.js";

it("a streamed legacy completion is accumulated, with several choices", () => {
  const chunk = (index: number, text: string, finish: string | null = null) => ({
    id: "cmpl-1",
    model: "gpt-3.5-turbo-instruct",
    choices: [{ index, text, finish_reason: finish }],
  });
  const usage = { id: "cmpl-1", choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } };
  const chunks = [chunk(0, "A"), chunk(1, "X"), chunk(0, "B", "stop"), chunk(1, "", "length"), usage];
  expect(streamed(openaiCompletions, chunks)).toMatchObject({
    completion_text: "AB",
    finish_reason: "stop,length",
    tokens_input: 3,
    tokens_output: 4,
    completion_messages: [{ parts: [{ content: "AB" }] }, { parts: [{ content: "X" }] }],
  });
});
