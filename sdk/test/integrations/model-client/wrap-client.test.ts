import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configure, llm, takeSpans } from "../../../src/index.js";
import { field, textOf } from "../../../src/integrations/json-fields.js";
import type { ClientLibrary, ModelMethod } from "../../../src/integrations/model-client/client-library.js";
import type { ModelOperation } from "../../../src/integrations/model-client/operation.js";
import { wrapClient } from "../../../src/integrations/model-client/wrap-client.js";

/** A library that is not OpenAI's, as far as a folder of readers describes it. */
const messages: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest: (request) => ({ model: field(request, "model"), prompt_text: field(request, "prompt") }),
  readResponse: (response) => ({
    completion_text: textOf(field(response, "text")),
    tokens_output: field(response, "tokens"),
  }),
  createAccumulator: () => {
    let text = "";
    let isComplete = false;
    return {
      add(chunk) {
        const piece = textOf(field(chunk, "text")) ?? "";
        text += piece;
        isComplete ||= field(chunk, "done") === true;
        return piece !== "";
      },
      response: () => ({ text }),
      isComplete: () => isComplete,
    };
  },
};
const METHOD: ModelMethod = { path: ["messages"], method: "create", operation: messages };
const LIBRARY: ClientLibrary = {
  wrapper: "wrapAcme",
  expectedClient: "a client such as new Acme()",
  methods: [METHOD],
  providerOf: () => "acme",
  describeError: (error) => ({ error_code: field(error, "code") }),
  isUserAbort: (error) => field(error, "code") === "cancelled",
  requestIdHeader: "acme-request-id",
};

type Create = (request: object) => unknown;

/** A client with plain promises and async iterables. */
function clientOf(create: Create): { messages: { create: Create } } {
  const client = { messages: { create } };
  wrapClient(client, LIBRARY, {}, (clone) => clone);
  return client;
}

beforeAll(() => configure({ service: "model-client-test" }));
beforeEach(() => void takeSpans());

describe("a client library that is described by readers", () => {
  it("records nothing inside the model span of another integration, and a child inside a span of llm()", async () => {
    const inner = clientOf(async () => ({ text: "Hello", tokens: 3 }));
    const outer = clientOf((request) => inner.messages.create(request));
    await outer.messages.create({ model: "m-1", prompt: "Hi" });
    expect(takeSpans().map(({ name }) => name)).toEqual(["chat m-1"]);

    await llm("own", () => outer.messages.create({ model: "m-1", prompt: "Hi" }))();
    const [child, parent] = takeSpans();
    expect([child?.name, parent?.name]).toEqual(["chat m-1", "own"]);
    expect(child?.parent_span_id).toBe(parent?.span_id);
  });

  it.each([
    [
      "a frozen generator",
      () =>
        Object.freeze(
          (async function* () {
            yield { text: "Hi" };
          })(),
        ),
    ],
    [
      "an object whose stream cannot be asked for",
      () =>
        new Proxy(
          {},
          {
            get: (_, key) => {
              if (key === "then") return undefined;
              throw new Error("no");
            },
          },
        ),
    ],
  ])("records a call that returns what cannot be followed: %s", async (_what, respond) => {
    const response = respond();
    const client = clientOf(async () => response);
    expect(await client.messages.create({ model: "m-1" })).toBe(response);
    expect(takeSpans()).toMatchObject([{ name: "chat m-1", status: "OK" }]);
  });

  it("returns the thenable of a client, and asks it for its value once, when it is awaited", async () => {
    let asked = 0;
    const thenable = {
      then(resolve: (value: unknown) => void) {
        asked++;
        setTimeout(resolve, 0, { text: "Hello", tokens: 3 });
      },
      abort: () => "aborted",
    };
    const returned = clientOf(() => thenable).messages.create({ model: "m-1" });
    expect(returned).toBe(thenable);
    expect([asked, takeSpans()]).toEqual([0, []]);
    expect(await (returned as typeof thenable & PromiseLike<unknown>)).toEqual({ text: "Hello", tokens: 3 });
    expect(await (returned as typeof thenable & PromiseLike<unknown>)).toEqual({ text: "Hello", tokens: 3 });
    expect(asked).toBe(1);
    expect(takeSpans()).toMatchObject([{ status: "OK", attributes: { completion_text: "Hello" } }]);

    const frozen = clientOf(() =>
      Object.freeze({ then: (resolve: (value: string) => void) => resolve("Hi") }),
    );
    expect(await frozen.messages.create({ model: "m-1" })).toBe("Hi");
    const failing = clientOf(() => ({
      then: (_: unknown, reject: (error: unknown) => void) => reject(new Error("no model")),
    }));
    await expect(failing.messages.create({ model: "m-1" })).rejects.toThrow("no model");
    expect(takeSpans()).toMatchObject([
      { status: "OK" },
      { status: "ERROR", attributes: { error_message: "no model" } },
    ]);
  });

  it("reads no getter for the methods of a promise", async () => {
    let reads = 0;
    const returned = {
      get then() {
        return reads++ === 0 ? (resolve: (value: string) => void) => resolve("Hi") : undefined;
      },
    };
    expect(await clientOf(() => returned).messages.create({ model: "m-1" })).toBe("Hi");
    expect(takeSpans()).toHaveLength(1);
  });

  it("records a response", async () => {
    const client = clientOf(async () => ({ text: "Hello", tokens: 3 }));
    expect(await client.messages.create({ model: "m-1", prompt: "Hi" })).toEqual({
      text: "Hello",
      tokens: 3,
    });
    expect(takeSpans()).toEqual([
      expect.objectContaining({
        name: "chat m-1",
        span_type: "llm",
        status: "OK",
        attributes: {
          provider: "acme",
          model: "m-1",
          prompt_text: "Hi",
          completion_text: "Hello",
          tokens_output: 3,
        },
      }),
    ]);
  });

  it("records a stream, and returns the same object", async () => {
    async function* chunks() {
      yield { text: "Hel" };
      yield { text: "lo", done: true };
    }
    const stream = chunks();
    const client = clientOf(async () => stream);
    const returned = (await client.messages.create({ model: "m-1", stream: true })) as typeof stream;
    expect(returned).toBe(stream);
    const seen: unknown[] = [];
    for await (const chunk of returned) seen.push(chunk);
    expect(seen).toHaveLength(2);
    expect(takeSpans()).toEqual([
      expect.objectContaining({
        status: "OK",
        attributes: expect.objectContaining({
          stream: true,
          completion_text: "Hello",
          ttft_ms: expect.any(Number),
        }),
      }),
    ]);
  });

  it("records an error with the attributes of the library, and rethrows the same object", async () => {
    const error = Object.assign(new Error("No."), { code: "cancelled" });
    const client = clientOf(async () => {
      throw error;
    });
    await expect(client.messages.create({})).rejects.toBe(error);
    expect(takeSpans()).toEqual([
      expect.objectContaining({
        name: "chat",
        status: "ERROR",
        attributes: expect.objectContaining({ error_code: "cancelled", aborted: true }),
      }),
    ]);
  });

  it("records each call once if the client is wrapped twice", async () => {
    const client = clientOf(async () => ({ text: "Hello" }));
    wrapClient(client, LIBRARY, {}, (clone) => clone);
    await client.messages.create({});
    expect(takeSpans()).toHaveLength(1);
  });

  it("keeps the span of a call whose stream cannot be prepared", async () => {
    const prepareStream = () => {
      throw new Error("not prepared");
    };
    const client = { messages: { create: async () => ({ text: "Hello" }) } as { create: Create } };
    wrapClient(client, { ...LIBRARY, methods: [{ ...METHOD, prepareStream }] }, {}, (clone) => clone);
    await client.messages.create({ stream: true });
    expect(takeSpans()).toEqual([expect.objectContaining({ status: "OK" })]);
  });
});
