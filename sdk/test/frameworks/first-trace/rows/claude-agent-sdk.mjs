import { join } from "node:path";
import { ROOT } from "../replay-server.mjs";

const usage = {
  input_tokens: 30,
  output_tokens: 12,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [{ type: "text", text: "A joke" }],
  stop_reason: "end_turn",
  usage,
};

/** What the process of Claude Code prints: one message and the result of its turn. */
const TURN = [
  { type: "assistant", message, parent_tool_use_id: null },
  {
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: 20,
    duration_api_ms: 15,
    num_turns: 1,
    result: "A joke",
    stop_reason: "end_turn",
    total_cost_usd: 0.01,
    usage,
    modelUsage: {
      "claude-sonnet-4-5": {
        inputTokens: 30,
        outputTokens: 12,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
        webSearchRequests: 0,
        costUSD: 0.01,
        contextWindow: 200_000,
      },
    },
    permission_denials: [],
  },
];

export default {
  page: "claude-agent-sdk",
  install: ["@anthropic-ai/claude-agent-sdk@0.3.330", "zod@4.6.7"],
  unwrap: [["wrapQuery(claudeQuery)", "claudeQuery"]],
  env: () => ({
    CLAUDE_PROGRAM: join(ROOT, "sdk/test/libraries/claude-code.mjs"),
    CLAUDE_SCRIPT: JSON.stringify([TURN]),
  }),
  code: `
const options = { pathToClaudeCodeExecutable: process.env.CLAUDE_PROGRAM };
for await (const message of query({ prompt: "Tell me a joke", options }))
  if (message.type === "result") console.log(message.result);
`,
  expected: [["agent claude", "  task turn 1", "    llm chat claude-sonnet-4-5 30+12"]],
};
