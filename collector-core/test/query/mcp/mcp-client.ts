import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import { expect, onTestFinished } from "vitest";
import type { RunningCollector } from "../../running-collector.js";

/** What a tool answered. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: {
    readonly summary: string;
    readonly notice: string;
    readonly untrusted: Record<string, unknown>;
    readonly notes: readonly string[];
  };
}

/** A client of the official SDK, connected to `POST /mcp`. */
export async function connectMcp(
  { url }: Pick<RunningCollector, "url">,
  {
    headers = {},
    protocol = "auto",
  }: { headers?: Record<string, string>; protocol?: VersionNegotiationMode } = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: protocol } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** Calls a tool. */
export async function ask(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content;
  return {
    text: content?.type === "text" ? content.text : "",
    isError: result.isError === true,
    structured: result.structuredContent as ToolAnswer["structured"],
  };
}

/** What stands between the markers of an answer, which it has once. */
export function markedText(text: string): string {
  const [, mark = ""] = /^Between <(untrusted-[0-9a-f]{16})> and its end tag/m.exec(text) ?? [];
  expect(mark).not.toBe("");
  const parts = text.split(`\n<${mark}>\n`).flatMap((part) => part.split(`\n</${mark}>`));
  expect(parts).toHaveLength(3);
  return parts[1] ?? "";
}
