// An MCP server over stdio, in a process of its own.
import { configure, observe } from "../../dist/index.js";
import { wrapMcpServer } from "../../dist/mcp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

configure({ service: "notes", pushUrl: process.env.PUSH_URL, flushInterval: 0.05 });
const server = wrapMcpServer(new McpServer({ name: "notes", version: "1.0.0" }));
server.registerTool("search", { inputSchema: { query: z.string() } }, async ({ query }) => {
  await observe("look up", async () => query);
  return { content: [{ type: "text", text: `found ${query}` }] };
});
await server.connect(new StdioServerTransport());
