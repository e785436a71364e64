import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startChatServer, type ChatServer } from "./completion-server.js";
import { guideSnippets, runSnippet } from "./guide-snippet.js";
import { takeTrace, treeOf } from "./taken-spans.js";

let server: ChatServer;
beforeAll(async () => {
  server = await startChatServer();
  vi.stubEnv("OPENAI_API_KEY", "test-key");
  vi.stubEnv("OPENAI_BASE_URL", server.url);
});
afterAll(() => server.close());

it("the example of Mastra's page records what the page says", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  const [first = ""] = guideSnippets("mastra");
  server.answerWith({ text: "A joke" });
  await runSnippet(first);
  expect(treeOf(await takeTrace())).toEqual(["agent joker", "  task step 1", "    llm chat gpt-5-mini"]);
  expect(log).toHaveBeenCalledWith("A joke");
});
