/**
 * Records what clients and servers of the Model Context Protocol do: `@obspan/sdk/mcp`.
 *
 * @packageDocumentation
 */
export { wrapMcpClient, wrapMcpServer } from "./wrap-mcp.js";
