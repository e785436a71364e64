import fc from "fast-check";
import { it } from "vitest";
import { anthropicMessage } from "../../../src/integrations/wire/anthropic.js";
import { geminiContent } from "../../../src/integrations/wire/gemini.js";
import { geminiEmbeddings } from "../../../src/integrations/wire/gemini-embeddings.js";
import { geminiInteraction } from "../../../src/integrations/wire/gemini-interactions.js";
import { streamed } from "./streamed.js";

it("no reader of Anthropic or Google throws, whatever the request or response is", () => {
  const operations = [anthropicMessage, geminiContent, geminiEmbeddings, geminiInteraction];
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
      const list = [
        value,
        { role: "user", content: value, parts: value },
        { type: value, ...holderOf(value) },
      ];
      for (const operation of operations) {
        for (const sent of [value, list]) {
          const request = {
            messages: sent,
            contents: sent,
            input: sent,
            requests: sent,
            tools: sent,
            system: sent,
          };
          operation.readRequest({ ...request, generationConfig: value, model: value });
          const response = { content: sent, candidates: sent, steps: sent, embeddings: sent, usage: value };
          operation.readFailure?.({ ...response, error: value, usageMetadata: value });
          operation.readResponse({ ...response, usageMetadata: value });
        }
        operation.readRequest(value);
        operation.readResponse(value);
        operation.readFailure?.(value);
        streamed(operation, [
          value,
          { type: "message_start", message: value },
          { type: "content_block_start", index: value, content_block: value },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: value } },
          { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: value } },
          { type: "message_delta", delta: value, usage: value },
          { candidates: [value, { content: { parts: list } }], usageMetadata: value },
          { event_type: "step.start", index: value, step: value },
          { event_type: "step.delta", index: 0, delta: { type: "text", text: value } },
          { event_type: "interaction.completed", interaction: value },
        ]);
      }
    }),
    { numRuns: 300 },
  );
});

/** An object with a value in each field that readers look into. */
function holderOf(value: unknown): object {
  return { text: value, source: value, functionCall: value, inlineData: value, summary: value, input: value };
}
