export default {
  page: "bedrock",
  install: ["@aws-sdk/client-bedrock-runtime@3.1164.0"],
  unwrap: [["wrapBedrock(new BedrockRuntimeClient(", "(new BedrockRuntimeClient("]],
  exchanges: ["bedrock-converse-tool"],
  isHttp2: true,
  env: (url) => ({
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test-key",
  }),
  code: `
const { ConverseCommand } = await import("@aws-sdk/client-bedrock-runtime");
const response = await bedrock.send(
  new ConverseCommand({
    modelId: "anthropic.claude-3-5-sonnet-20240620-v1:0",
    messages: [{ role: "user", content: [{ text: "What's the weather in San Francisco?" }] }],
  }),
);
console.log(response.stopReason);
`,
  expected: [["llm chat anthropic.claude-3-5-sonnet-20240620-v1:0 408+100"]],
  registered: [["llm chat anthropic.claude-3-5-sonnet-20240620-v1:0 408+100"]],
};
