import { describe, expect, it } from "vitest";
import Type from "typebox";
import type { TraceStore } from "../../../src/interfaces.js";
import { createMcpAnswerer } from "../../../src/query/mcp/mcp-server.js";
import { defineTool } from "../../../src/query/mcp/tool.js";
import { newestResources } from "../../../src/query/mcp/resources.js";
import { RequestAborted } from "../../../src/runtime/request-aborted.js";

interface CallAnswer {
  readonly result: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
}

/** Calls a tool of a server without a collector. */
async function call(failure: Error | undefined, rebuildProgress: number | null = null) {
  const errors: unknown[] = [];
  const tool = defineTool({
    name: "look",
    title: "Look",
    description: "Looks.",
    arguments: { at: Type.Optional(Type.String()) },
    async run() {
      if (failure !== undefined) throw failure;
      return { lead: "Nothing.", sections: [] };
    },
  });
  const answer = createMcpAnswerer({
    version: "1",
    store: { usage: () => ({ rebuildProgress }) } as TraceStore,
    tools: [tool],
    refusedTools: [],
    isMultiTenant: false,
    onError: (_where, error) => errors.push(error),
  });
  const response = await answer(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "look", arguments: {} } },
    {
      headers: new Headers({
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      }),
      tenant: undefined,
      signal: new AbortController().signal,
      begin: () => new AbortController().signal,
    },
  );
  const [, data = "{}"] = /^data: (.*)$/m.exec(await response.text()) ?? [];
  const { result } = JSON.parse(data) as CallAnswer;
  return { text: result.content[0]?.text ?? "", isError: result.isError === true, errors };
}

describe("contract 9 (MCP): a call", () => {
  it("says that traces may be missing while the store indexes its file again", async () => {
    expect((await call(undefined)).text).toBe("Nothing.");
    expect((await call(undefined, 0.5)).text).toMatch(
      /^Nothing\.\n\nThe collector is indexing its file again/,
    );
  });

  it("tells of an unexpected error nothing but that there was one, and logs it", async () => {
    const failure = new Error("secret path");
    const { text, isError, errors } = await call(failure);
    expect([isError, errors]).toEqual([true, [failure]]);
    expect(text).toBe("Something in the collector went wrong; its log says what.");
  });

  it("of a client that has left is no error of the collector", async () => {
    expect((await call(new RequestAborted())).errors).toEqual([]);
  });
});

describe("contract 9 (MCP): resources", () => {
  it("are none, and no failure, without a store", async () => {
    expect(await newestResources(undefined, undefined, new AbortController().signal)).toEqual([]);
  });
});
