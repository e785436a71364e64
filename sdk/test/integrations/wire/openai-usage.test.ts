import { describe, expect, it } from "vitest";
import { openaiChat } from "../../../src/integrations/wire/openai-chat.js";

describe("invalid token counts", () => {
  it("are left out, and a missing count is never zero", () => {
    const usage = {
      prompt_tokens: -1,
      completion_tokens: 1.5,
      prompt_tokens_details: { cached_tokens: "7" },
    };
    const attributes = openaiChat.readResponse({ usage, choices: [] });
    for (const key of ["tokens_input", "tokens_output", "tokens_cached", "tokens_reasoning"]) {
      expect(attributes).not.toHaveProperty(key);
    }
  });
});
