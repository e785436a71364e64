import { isRecording, warnOnce } from "../../capture/integration.js";
import { member } from "../json-fields.js";
import { ignoringErrors, replaceMethod } from "../model-client/replace-method.js";
import { followTransport } from "./follow-transport.js";

/**
 * Records the requests of an MCP client: each call of a tool is a span with arguments and result, other requests are spans
 * where they run inside a trace. Requests carry the trace (`params._meta.traceparent`), so that a server which reads it
 * continues the trace. Requests of the server to the client, such as sampling, are recorded too.
 *
 * The client itself is changed and returned. Wrap it before it connects. It works with every client that has
 * `connect(transport)` (`@modelcontextprotocol/sdk`, `@modelcontextprotocol/client`), over stdio, HTTP or any other
 * transport, and imports none of them. Wrapping it again has no effect.
 *
 * @param client - for example `new Client({ name: "app", version: "1.0.0" })`.
 * @returns the same client.
 *
 * @example
 * ```ts
 * const client = wrapMcpClient(new Client({ name: "app", version: "1.0.0" }));
 * await client.connect(transport);
 * ```
 */
export function wrapMcpClient<Client extends object>(client: Client): Client {
  return wrapPeer(client, "wrapMcpClient", "a client of MCP");
}

/**
 * Records the requests that an MCP server answers. A request of a client that sends its trace is a span in that trace, and
 * not counted as a tool call of its own; without one, a call of a tool is a tool span of a new trace. Spans of the tool's
 * code are children of it.
 *
 * The server itself is changed and returned. Wrap it before it connects. It works with `McpServer` and `Server` of
 * `@modelcontextprotocol/sdk` and `@modelcontextprotocol/server`, and imports none of them.
 *
 * @param server - for example `new McpServer({ name: "notes", version: "1.0.0" })`.
 * @returns the same server.
 *
 * @example
 * ```ts
 * const server = wrapMcpServer(new McpServer({ name: "notes", version: "1.0.0" }));
 * await server.connect(new StdioServerTransport());
 * ```
 */
export function wrapMcpServer<Server extends object>(server: Server): Server {
  return wrapPeer(server, "wrapMcpServer", "a server of MCP");
}

function wrapPeer<Peer extends object>(peer: Peer, wrapper: string, expected: string): Peer {
  if (typeof peer === "function" || typeof member(peer, "connect") !== "function") {
    warnOnce(
      wrapper,
      `${wrapper} records nothing: it expects ${expected}, an object with the method connect(transport).`,
    );
    return peer;
  }
  // An McpServer passes its transport on to a Server inside it, which then finds it followed already.
  replaceMethod(
    peer,
    "connect",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        ignoringErrors(() => {
          if (isRecording()) followTransport(args[0]);
        });
        return Reflect.apply(original, this, args);
      },
  );
  return peer;
}
