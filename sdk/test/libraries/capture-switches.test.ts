import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { Mistral } from "@mistralai/mistralai";
import { CohereClient, CohereClientV2 } from "cohere-ai";
import { Ollama } from "ollama";
import { afterAll, beforeAll, expect, it } from "vitest";
import { configure, takeSpans } from "../../src/index.js";
import { wrapBedrock } from "../../src/integrations/bedrock/index.js";
import { wrapCohere } from "../../src/integrations/cohere/index.js";
import { wrapMistral } from "../../src/integrations/mistral/index.js";
import { wrapOllama } from "../../src/integrations/ollama/index.js";
import { recordedExchange, type Exchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";

let server: ReplayServer;
let http2Server: ReplayServer;
beforeAll(async () => {
  configure({ service: "switches-test", capturePrompt: false, captureCompletion: false });
  server = await startReplayServer();
  http2Server = await startReplayServer("http2");
});
afterAll(async () => {
  await server.close();
  await http2Server.close();
});

/** Expects a recorded request, whatever its body is. */
function expectRequest(id: string, to = server): Exchange {
  const exchange = recordedExchange(id);
  to.expect({ ...exchange, request: { ...exchange.request, body: null } });
  return exchange;
}

it("capturePrompt and captureCompletion false leave out every text of a call, and keep its numbers", async () => {
  const model = "secret-free-model";
  const content = "secret prompt";
  const tools = [
    { type: "function" as const, function: { name: "look", description: "secret tool", parameters: {} } },
  ];

  expectRequest("ollama-chat-no-prompt-count");
  const ollama = wrapOllama(new Ollama({ host: server.url }));
  const stop = ["secret stop"];
  await ollama.chat({ model, messages: [{ role: "user", content }], tools, options: { stop } });

  expectRequest("mistral-chat");
  const mistral = wrapMistral(new Mistral({ apiKey: "test-key", serverURL: server.url }));
  await mistral.chat.complete({ model, messages: [{ role: "user", content }], tools, stop });

  const cohereOptions = { token: "test-key", environment: server.url };
  expectRequest("cohere-chat-v2-toolloop-1");
  await wrapCohere(new CohereClientV2(cohereOptions)).chat({
    model,
    messages: [{ role: "user", content }],
    tools,
  });
  expectRequest("cohere-rerank");
  await wrapCohere(new CohereClient(cohereOptions)).rerank({ model, query: content, documents: [content] });

  const { request } = expectRequest("bedrock-converse-tool", http2Server);
  const bedrock = wrapBedrock(
    new BedrockRuntimeClient({
      region: "us-east-1",
      endpoint: http2Server.url,
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    }),
  );
  await bedrock.send(
    new ConverseCommand({
      modelId: decodeURIComponent(request.path.split("/")[2] ?? ""),
      system: [{ text: content }],
      messages: [{ role: "user", content: [{ text: content }] }],
      inferenceConfig: { stopSequences: stop },
      toolConfig: {
        tools: [{ toolSpec: { name: "look", description: "secret tool", inputSchema: { json: {} } } }],
      },
    }),
  );

  const spans = takeSpans();
  expect(spans.map(({ attributes }) => attributes?.["provider"])).toEqual([
    "ollama",
    "mistral",
    "cohere",
    "cohere",
    "bedrock",
  ]);
  const text = JSON.stringify(spans);
  for (const sent of ["secret prompt", "secret tool", "secret stop"]) expect(text).not.toContain(sent);
  for (const received of ["A joke about OpenTelemetry", "Tokyo", "I'd be happy"])
    expect(text).not.toContain(received);
  expect(spans.at(-1)?.attributes).toMatchObject({ tokens_input: 408, tokens_output: 100 });
});
