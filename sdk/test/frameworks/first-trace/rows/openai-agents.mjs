export default {
  page: "openai-agents",
  install: ["@openai/agents@0.20.0", "zod@4.6.7"],
  // The other processor would send to OpenAI.
  replace: [
    ["import { addTraceProcessor }", "import { setTraceProcessors }"],
    ["addTraceProcessor(new ObspanTraceProcessor())", "setTraceProcessors([new ObspanTraceProcessor()])"],
  ],
  unwrap: [
    ['import { setTraceProcessors } from "@openai/agents";\n', ""],
    ["setTraceProcessors([new ObspanTraceProcessor()]);\n", ""],
  ],
  before: 'import { setTraceProcessors } from "@openai/agents";\nsetTraceProcessors([]);\n',
  exchanges: ["openai-responses-basic"],
  env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "test-key" }),
  code: `
const { Agent, run } = await import("@openai/agents");
const joker = new Agent({ name: "joker", instructions: "Tell jokes.", model: "gpt-5-mini" });
const { finalOutput } = await run(joker, "Tell me a joke");
console.log(finalOutput);
`,
  expected: [
    [
      "task Agent workflow",
      "  agent joker",
      "    task turn 1",
      "      llm chat gpt-4o-mini-2024-07-18 14+26",
    ],
  ],
  // The Agents SDK needs its processor for agents and turns. The call is recorded by fetch.
  registered: [["llm chat gpt-5-mini 14+26"]],
};
