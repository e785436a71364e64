import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CreateMessageRequestSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { configure, currentSpan, llm, observe, takeSpans } from "../../src/index.js";
import { wrapMcpClient, wrapMcpServer } from "../../src/integrations/mcp/index.js";
import type { Span } from "../../src/wire/index.js";
import { Receiver } from "../export/receiver.js";

beforeAll(() => configure({ service: "mcp-test" }));
beforeEach(() => void takeSpans());
afterEach(() => vi.restoreAllMocks());

/** A server with tools that answer, fail, throw, hang and sample. */
function createNotes(): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool("search", { inputSchema: { query: z.string() } }, async ({ query }) => {
    await observe("look up", async () => query);
    return { content: [{ type: "text", text: `found ${query}` }] };
  });
  server.registerTool("count", { outputSchema: { count: z.number() } }, async () => ({
    content: [{ type: "image", data: "AAAA", mimeType: "image/png" }],
    structuredContent: { count: 3 },
  }));
  server.registerTool("broken", {}, async () => {
    throw new Error("index is corrupt");
  });
  server.registerTool("slow", {}, async (extra) => {
    await new Promise((resolve) => extra.signal.addEventListener("abort", resolve));
    return { content: [] };
  });
  server.registerTool("ask", {}, async (extra) => {
    const answer = await extra.sendRequest(
      {
        method: "sampling/createMessage",
        params: { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 5 },
      },
      z.object({ content: z.object({ text: z.string() }).loose() }).loose(),
    );
    return { content: [{ type: "text", text: answer.content.text }] };
  });
  server.registerResource("note", new ResourceTemplate("note://{id}", { list: undefined }), {}, (uri) => ({
    contents: [{ uri: uri.href, text: "text" }],
  }));
  return server;
}

async function connectInMemory({ wrapsClient = true, wrapsServer = true } = {}): Promise<Client> {
  const server = createNotes();
  const client = new Client({ name: "app", version: "1.0.0" }, { capabilities: { sampling: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, async () => {
    const text = await llm("sample", async () => "Hello")();
    return { model: "m-1", role: "assistant" as const, content: { type: "text" as const, text } };
  });
  if (wrapsServer) wrapMcpServer(server);
  if (wrapsClient) wrapMcpClient(client);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  return client;
}

/** The spans by name, with the name of their parent. */
function tree(spans: readonly Span[]): Record<string, string | undefined> {
  const names = new Map(spans.map((span) => [span.span_id, `${span.name} (${span.span_type})`]));
  return Object.fromEntries(
    spans.map((span) => [`${span.name} (${span.span_type})`, names.get(span.parent_span_id ?? "")]),
  );
}

/** A client whose messages go nowhere, and what it sent. Its connection is initialized. `onSend` may throw. */
async function connectTo(onSend: (message: JSONRPCMessage) => void) {
  const sent: JSONRPCMessage[] = [];
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    async send(message) {
      sent.push(message);
      onSend(message);
      if (!("method" in message) || message.method !== "initialize" || !("id" in message)) return;
      const result = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "nowhere", version: "1" },
      };
      transport.onmessage?.({ jsonrpc: "2.0", id: message.id, result });
    },
  };
  const client = wrapMcpClient(new Client({ name: "app", version: "1.0.0" }));
  await client.connect(transport);
  return { client, transport, sent };
}

describe("a wrapped client and a wrapped server", () => {
  it("contract 6: one call is two spans of one trace, and counts as one call of a tool", async () => {
    const client = await connectInMemory();
    const result = await observe("run", () =>
      client.callTool({ name: "search", arguments: { query: "tea" } }),
    );
    expect(result.content).toEqual([{ type: "text", text: "found tea" }]);
    const spans = takeSpans();
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
    expect(tree(spans)).toEqual({
      "run (span)": undefined,
      "search (tool)": "run (span)",
      "search (span)": "search (tool)",
      "look up (span)": "search (span)",
    });
    const call = spans.find(({ span_type }) => span_type === "tool");
    expect(call).toMatchObject({
      status: "OK",
      attributes: {
        tool_name: "search",
        "mcp.method.name": "tools/call",
        "mcp.server.name": "notes",
        input_text: '{"query":"tea"}',
        output_text: "found tea",
      },
    });
  });

  it("records content that is not text, and failures of tools and of the protocol", async () => {
    const client = await connectInMemory({ wrapsServer: false });
    await client.listTools();
    await client.callTool({ name: "count" });
    await client.callTool({ name: "broken" });
    await expect(client.readResource({ uri: "other://1?key=secret" })).rejects.toThrow();
    const [count, broken] = takeSpans();
    expect(count?.attributes?.["output_text"]).toBe('{"count":3}');
    expect(broken).toMatchObject({
      status: "ERROR",
      attributes: { error_type: "tool_error", error_message: "index is corrupt" },
    });

    await observe("run", async () => {
      await client.readResource({ uri: "note://1?key=secret" });
      await client.readResource({ uri: "other://1" }).catch(() => undefined);
    });
    const [read, failed] = takeSpans();
    expect(read).toMatchObject({ name: "resources/read", attributes: { input_text: "note://1" } });
    expect(JSON.stringify(read)).not.toContain("secret");
    expect(failed).toMatchObject({ status: "ERROR", attributes: { error_type: "mcp_-32602" } });
  });

  it("ends the span of a call that times out or is aborted, and of one whose connection closes", async () => {
    const client = await connectInMemory();
    await expect(client.callTool({ name: "slow" }, undefined, { timeout: 20 })).rejects.toThrow("timed out");
    expect(
      takeSpans().map(({ name, status, attributes }) => [name, status, attributes?.["aborted"]]),
    ).toEqual([
      ["slow", "ERROR", true],
      ["slow", "ERROR", true],
    ]);
    const controller = new AbortController();
    const aborted = client.callTool({ name: "slow" }, undefined, { signal: controller.signal });
    controller.abort("no longer needed");
    await expect(aborted).rejects.toThrow();
    expect(takeSpans()[0]?.attributes).toMatchObject({ aborted: true, error_message: "no longer needed" });
    const cut = client.callTool({ name: "slow" });
    await client.close();
    await expect(cut).rejects.toThrow();
    expect(takeSpans().map(({ status }) => status)).toContain("ERROR");
  });

  it("records a request that cannot be sent as failed, and goes on recording after many", async () => {
    const { client, sent } = await connectTo((message) => {
      if ("method" in message && message.method === "tools/list") throw new Error("The socket is gone.");
      if ("method" in message && message.method === "tools/call") throw new Error("HTTP 503");
    });
    await expect(client.callTool({ name: "search" })).rejects.toThrow("HTTP 503");
    expect(takeSpans()).toMatchObject([
      { name: "search", status: "ERROR", attributes: { error_message: "HTTP 503" } },
    ]);
    for (let call = 0; call < 1001; call++) await client.callTool({ name: "search" }).catch(() => undefined);
    expect(takeSpans()).toHaveLength(1001);
    await observe("run", () => client.listTools().catch(() => undefined));
    expect(takeSpans().map(({ name }) => name)).toEqual(["tools/list", "run"]);
    expect(sent).toHaveLength(1005);
  });

  it("sends a request of which a copy would not say the same as it is", async () => {
    const { transport, sent } = await connectTo(() => undefined);
    const own = { name: "search", _meta: { token: 1 } };
    const requests = [
      { params: ["search", 1] },
      { params: "search" },
      { params: null },
      { params: { name: "search", _meta: ["token"] } },
      {
        get params() {
          return own;
        },
      },
      {
        params: {
          get _meta() {
            return { token: 1 };
          },
        },
      },
      {
        params: new (class {
          toJSON() {
            return own;
          }
        })(),
      },
    ].map((fields, id) =>
      Object.defineProperties(
        { jsonrpc: "2.0", id, method: "tools/call" },
        Object.getOwnPropertyDescriptors(fields),
      ),
    );
    for (const request of requests) await transport.send(request as unknown as JSONRPCMessage);
    expect(sent.slice(-requests.length)).toEqual(requests);
    sent.slice(-requests.length).forEach((message, at) => expect(message).toBe(requests[at]));
  });

  it("records what the server asks of the client, in the same trace", async () => {
    const client = await connectInMemory();
    await client.callTool({ name: "ask" });
    const spans = takeSpans();
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
    expect(spans.map(({ name, span_type }) => `${name} (${span_type})`)).toEqual([
      "sample (llm)",
      "sampling/createMessage (span)",
      "sampling/createMessage (span)",
      "ask (span)",
      "ask (tool)",
    ]);
  });

  it("keeps the app's own trace context and message objects", async () => {
    const client = await connectInMemory({ wrapsServer: false });
    const params = { name: "search", arguments: { query: "tea" }, _meta: { own: 1 } };
    await client.callTool(params);
    expect(params).toEqual({ name: "search", arguments: { query: "tea" }, _meta: { own: 1 } });
  });
});

it("a server alone records a call as a tool of a new trace", async () => {
  const client = await connectInMemory({ wrapsClient: false });
  await client.callTool({ name: "search", arguments: { query: "tea" } });
  expect(tree(takeSpans())).toEqual({ "look up (span)": "search (tool)", "search (tool)": undefined });
});

it("a client and a server in two processes share a trace over stdio", async () => {
  const receiver = new Receiver();
  await receiver.start();
  onTestFinished(() => receiver.stop());
  const client = wrapMcpClient(new Client({ name: "app", version: "1.0.0" }));
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [fileURLToPath(new URL("./mcp-server.mjs", import.meta.url))],
      env: { PUSH_URL: receiver.url },
    }),
  );
  onTestFinished(() => client.close());
  await client.callTool({ name: "search", arguments: { query: "tea" } });
  const [call] = takeSpans();
  const received = (): Span[] => receiver.requests.flatMap(({ batch }) => batch.spans);
  await vi.waitFor(() => expect(received()).toHaveLength(2), { timeout: 10_000 });
  const spans = received();
  expect(spans.map(({ name, span_type }) => `${name} (${span_type})`)).toEqual([
    "look up (span)",
    "search (span)",
  ]);
  expect(spans.map(({ trace_id }) => trace_id)).toEqual([call?.trace_id, call?.trace_id]);
  expect(spans[1]?.parent_span_id).toBe(call?.span_id);
});

it.each(["with sessions", "without sessions"])("one trace over HTTP, %s", async (how) => {
  const hasSessions = how === "with sessions";
  const create = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport(
      hasSessions ? { sessionIdGenerator: () => "session-1" } : {},
    );
    await wrapMcpServer(createNotes()).connect(transport);
    return transport;
  };
  const shared = hasSessions ? await create() : undefined;
  const http = createServer((request, response) => {
    void (async () => await (shared ?? (await create())).handleRequest(request, response))();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  const { port } = http.address() as { port: number };
  const client = wrapMcpClient(new Client({ name: "app", version: "1.0.0" }));
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  await client.callTool({ name: "search", arguments: { query: "tea" } });
  await client.close();
  http.closeAllConnections();
  expect(tree(takeSpans())).toEqual({
    "search (tool)": undefined,
    "search (span)": "search (tool)",
    "look up (span)": "search (span)",
  });
});

it("version 2 of the libraries is recorded too", async () => {
  const v2 = await import("@modelcontextprotocol/client");
  const { McpServer: McpServer2 } = await import("@modelcontextprotocol/server");
  const server = wrapMcpServer(new McpServer2({ name: "notes", version: "2.0.0" }));
  let inside = "";
  server.registerTool("search", { inputSchema: z.object({ query: z.string() }) }, async ({ query }) => {
    inside = currentSpan().spanId;
    return { content: [{ type: "text", text: `found ${query}` }] };
  });
  const client = wrapMcpClient(new v2.Client({ name: "app", version: "1.0.0" }));
  const [clientSide, serverSide] = v2.InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  await client.connect(clientSide);
  await client.callTool({ name: "search", arguments: { query: "tea" } });
  await client.close();
  const spans = takeSpans();
  expect(tree(spans)).toEqual({ "search (tool)": undefined, "search (span)": "search (tool)" });
  expect(spans.find(({ span_type }) => span_type === "span")?.span_id).toBe(inside);
});

it("warns once about something that cannot connect", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  expect(wrapMcpClient(Client as object)).toBe(Client);
  wrapMcpClient({});
  expect(warn).toHaveBeenCalledOnce();
  expect(warn.mock.calls[0]?.[0]).toContain("connect(transport)");
});
