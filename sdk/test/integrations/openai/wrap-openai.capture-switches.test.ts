import { afterAll, beforeAll, expect, it } from "vitest";
import type { Span } from "../../../src/wire/index.js";
import { freshSdk, listenToConsole, type Sdk } from "../../fresh-sdk.js";
import { recordedExchange, recordedExchanges } from "../../replay/exchange.js";
import { writtenExchange } from "../../replay/written-exchange.js";
import { startReplayServer, type ReplayServer } from "../../replay/replay-server.js";
import { clientOf, makeCall } from "./replay-client.js";

let server: ReplayServer;
beforeAll(async () => {
  server = await startReplayServer();
});
afterAll(() => server.close());

type Options = Parameters<Sdk["configure"]>[0];

/** The spans of all recorded exchanges with a configuration; undefined for none. */
async function spansOfAll(options?: Options): Promise<Span[]> {
  const sdk = await freshSdk();
  const { wrapOpenAI } = await import("../../../src/integrations/openai/index.js");
  if (options !== undefined) sdk.configure(options);
  for (const exchange of recordedExchanges()) {
    server.expect(exchange);
    await makeCall(wrapOpenAI(clientOf(exchange, server.url)), exchange);
  }
  return sdk.takeSpans();
}

const keysOf = (spans: readonly Span[]): string[] => [
  ...new Set(spans.flatMap(({ attributes = {} }) => Object.keys(attributes))),
];

it("capturePrompt: false leaves out every sent text and the arguments of tool calls", async () => {
  const spans = await spansOfAll({ capturePrompt: false });
  expect(keysOf(spans)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(prompt_|input_text|tool_definitions|stop$)/)]),
  );
  const text = JSON.stringify(spans);
  expect(text).toContain("get_current_weather");
  for (const sent of ["Tell me a joke", "Boston", "You are a helpful assistant", "Count r's"]) {
    expect(text).not.toContain(`"${sent}`);
  }
  expect(text).toMatch(/"completion_text":"/);
});

it("captureCompletion: false leaves out every received text", async () => {
  const spans = await spansOfAll({ captureCompletion: false });
  expect(keysOf(spans)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^completion_/)]));
  const text = JSON.stringify(spans);
  expect(text).not.toContain("the capital of France is Paris");
  expect(text).toMatch(/"prompt_text":"/);
});

it("captureCompletion: false keeps earlier completions out of prompt_text, also without a user message", async () => {
  const sdk = await freshSdk();
  const { wrapOpenAI } = await import("../../../src/integrations/openai/index.js");
  sdk.configure({ captureCompletion: false });
  const request = {
    model: "gpt-5-mini",
    messages: [
      { role: "system" as const, content: "Go on." },
      { role: "assistant" as const, content: "My secret is" },
    ],
  };
  const exchange = writtenExchange({
    request,
    body: recordedExchange("openai-chat-basic").response.body,
  });
  server.expect(exchange);
  await wrapOpenAI(clientOf(exchange, server.url)).chat.completions.create(request);
  const [span] = sdk.takeSpans();
  expect(span?.attributes?.["prompt_text"]).toBe("Go on.");
  expect(JSON.stringify(span)).not.toContain("My secret is");
});

it('capture: "metadata" keeps all numbers and no texts', async () => {
  const spans = await spansOfAll({ capture: "metadata" });
  const all = await spansOfAll({});
  const numbers = ({ attributes = {} }: Span) =>
    Object.entries(attributes).filter(([key, value]) => typeof value === "number" && key !== "ttft_ms");
  expect(spans.map(numbers)).toEqual(all.map(numbers));
  const longest = spans.flatMap(({ attributes = {} }) =>
    Object.values(attributes).map((value) => JSON.stringify(value).length),
  );
  expect(Math.max(...longest)).toBeLessThan(120);
  expect(JSON.stringify(spans)).not.toContain("joke");
});

it("enableTtft: false does not measure the time to the first token", async () => {
  expect(keysOf(await spansOfAll({ enableTtft: false }))).not.toContain("ttft_ms");
});

it("a mask gets every text before it is recorded", async () => {
  const spans = await spansOfAll({ mask: (text) => text.replaceAll(/[Jj]oke/g, "[masked]") });
  const text = JSON.stringify(spans);
  expect(text).toContain("[masked]");
  expect(text).not.toMatch(/[Jj]oke/);
});

it("calls work unrecorded without a configuration, with one warning", async () => {
  const { warnings } = listenToConsole();
  expect(await spansOfAll()).toEqual([]);
  expect(warnings).toHaveLength(1);
  const exchange = recordedExchange("openai-chat-stream-no-usage");
  const sent = server.requests.filter(
    ({ body }) => JSON.stringify(body) === JSON.stringify(exchange.request.body),
  );
  expect(sent.length).toBeGreaterThan(0);
});
