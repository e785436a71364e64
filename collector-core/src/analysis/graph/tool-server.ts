import { textOf } from "../attributes.js";
import type { SpanNode } from "../span-tree.js";
import type { NodeIdentity } from "./open-graph.js";

/** A tool and the MCP server that has it. */
export interface ServedTool {
  readonly tool: string;
  readonly server: string | undefined;
  /** `stdio` or `http`, where it is known. */
  readonly transport: string | undefined;
}

/** `mcp__github__create_issue`: as some clients name the tools of MCP servers. */
const PREFIX = "mcp__";

/** The MCP server of a tool: as recorded, otherwise from the name of the tool. */
export function servedTool(name: string, node: SpanNode | undefined): ServedTool {
  const span = node?.span;
  const recorded = span && textOf(span, "mcp.server.name");
  const named = serverInName(name);
  const tool = named?.tool ?? name;
  const server = recorded ?? named?.server;
  return { tool, server, transport: server === undefined ? undefined : node && transportOf(node) };
}

/** What a tool is in the graph. @param node - undefined if the call was not recorded as a span. */
export function toolIdentity(name: string, node: SpanNode | undefined): NodeIdentity {
  const { tool, server, transport } = servedTool(name, node);
  return {
    id: server === undefined ? `tool ${tool}` : `tool ${JSON.stringify([server, tool])}`,
    kind: "tool",
    name: tool,
    type: "tool",
    note: transport,
    server,
  };
}

function serverInName(name: string): { readonly server: string; readonly tool: string } | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const end = name.indexOf("__", PREFIX.length + 1);
  if (end < 0 || end + 2 >= name.length) return undefined;
  return { server: name.slice(PREFIX.length, end), tool: name.slice(end + 2) };
}

function transportOf({ span }: SpanNode): string | undefined {
  const transport = textOf(span, "mcp.transport") ?? textOf(span, "network.transport");
  if (transport === "pipe" || transport === "stdio") return "stdio";
  return transport === undefined ? undefined : "http";
}
