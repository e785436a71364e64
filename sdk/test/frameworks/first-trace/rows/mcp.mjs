export default {
  page: "mcp",
  example: 1,
  install: ["@modelcontextprotocol/sdk@1.32.2", "zod@4.6.7"],
  // The transport gives the server few variables of the client.
  programs: {
    "server.mjs": {
      page: "mcp",
      isConfigured: true,
      unwrap: [["wrapMcpServer(new McpServer(", "(new McpServer("]],
    },
  },
  unwrap: [["wrapMcpClient(new Client(", "(new Client("]],
  expected: [["tool search", "  span search"]],
  // The server is a process of its own, to which no variable of the client is passed.
  registered: [["tool search"]],
};
