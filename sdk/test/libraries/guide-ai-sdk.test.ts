import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startChatServer, type ChatServer } from "./completion-server.js";
import { guideSnippets, runSnippet } from "./guide-snippet.js";
import { takeAll, treeOf } from "./taken-spans.js";

let server: ChatServer;
beforeAll(async () => {
  server = await startChatServer();
  vi.stubEnv("OPENAI_API_KEY", "test-key");
  vi.stubEnv("OPENAI_BASE_URL", server.url);
});
afterAll(() => server.close());

it("the examples of the AI SDK's page record what the page says", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  const [first = "", second = ""] = guideSnippets("ai-sdk");
  server.answerWith({ text: "A joke" });
  await runSnippet(first);
  expect(treeOf(takeAll())).toEqual(["task generateText", "  task step 1", "    llm chat gpt-5-mini"]);
  server.answerWith({ text: "A joke" });
  await runSnippet(second, { ai: "ai-5", "@ai-sdk/openai": "@ai-sdk/openai-for-5" });
  expect(treeOf(takeAll())).toEqual(["agent joker", "  llm chat gpt-5-mini"]);
  expect(log.mock.calls).toEqual([["A joke"], ["A joke"]]);
});
