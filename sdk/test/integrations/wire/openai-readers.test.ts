import fc from "fast-check";
import { it } from "vitest";
import { openaiChat } from "../../../src/integrations/wire/openai-chat.js";
import { openaiCompletions } from "../../../src/integrations/wire/openai-completions.js";
import { openaiEmbeddings } from "../../../src/integrations/wire/openai-embeddings.js";
import { openaiResponses } from "../../../src/integrations/wire/openai-responses.js";
import { streamed } from "./streamed.js";

it("no reader throws, whatever the request or response is", () => {
  const operations = [openaiChat, openaiResponses, openaiCompletions, openaiEmbeddings];
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
      for (const operation of operations) {
        operation.readRequest(value);
        operation.readRequest({
          messages: value,
          input: value,
          tools: value,
          instructions: value,
          prompt: value,
        });
        operation.readRequest({
          messages: [value, { role: "user", content: value }],
          input: [value, { content: value }],
        });
        operation.readResponse(value);
        operation.readResponse({ choices: value, output: value, usage: value });
        operation.readResponse({
          choices: [value, { message: value }],
          output: [value],
          usage: { prompt_tokens: value },
        });
        operation.readFailure?.(value);
        streamed(operation, [
          value,
          { choices: [value, { delta: value }, { delta: { tool_calls: [value, { function: value }] } }] },
          { type: "response.output_item.added", item: value },
          { type: "response.output_text.delta", delta: value, output_index: value, content_index: value },
          { type: "response.completed", response: value },
        ]);
      }
    }),
    { numRuns: 300, examples: [[{ arguments: [0n] }], [{ arguments: { toJSON: () => undefined } }]] },
  );
});
