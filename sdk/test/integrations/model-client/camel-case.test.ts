import { expect, it } from "vitest";
import { recordingSdk } from "../../fresh-sdk.js";

/** The SDK, and the functions that wrap clients. */
async function wrappingSdk() {
  const { takeSpans } = await recordingSdk({ service: "camel-case-test" });
  const { wrapCohere } = await import("../../../src/integrations/cohere/index.js");
  const { wrapMistral } = await import("../../../src/integrations/mistral/index.js");
  return { takeSpans, Cohere: wrapCohere, Mistral: wrapMistral };
}

/** Contains itself in several places: there are more paths through it than memory. */
function circular(): Record<string, unknown> {
  const value: Record<string, unknown> = { model: "m-1", message: "Hi", messages: [] };
  for (const key of ["a", "b", "c", "d", "e", "f"]) value[key] = value;
  value["messages"] = [value, value];
  return value;
}

it.each([
  ["Mistral", { chat: { complete: async (request: unknown) => request } }],
  ["Cohere", { v2: { chat: async (request: unknown) => request, rerank: async () => ({}) } }],
] as const)("the client of %s may be called with a request that contains itself", async (name, client) => {
  const { takeSpans, [name]: wrap } = await wrappingSdk();
  wrap(client);
  const request = circular();
  const { complete = async () => request } = "chat" in client ? client.chat : { complete: client.v2.chat };
  expect(await complete(request)).toBe(request);
  expect(takeSpans()).toMatchObject([{ attributes: { model: "m-1" } }]);
});

it("a request with more values than a span keeps is recorded with the first of them", async () => {
  const { takeSpans, Mistral: wrap } = await wrappingSdk();
  const client = { chat: { complete: async () => ({ model: "m-1" }) } };
  wrap(client);
  const messages = Array.from({ length: 300_000 }, () => ({ role: "user", content: "Hi" }));
  await (client.chat.complete as (request: unknown) => Promise<unknown>)({ model: "m-1", messages });
  const [span] = takeSpans();
  expect(span?.attributes?.["model"]).toBe("m-1");
  expect(span?.attributes?.["prompt_messages"]).toHaveProperty([0, "role"], "user");
});
