import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request to the judge server, independent of the provider's API. */
export interface JudgeCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** All texts of the request, concatenated. */
  readonly text: string;
  /** The JSON document between the two delimiters. */
  readonly material: Readonly<Record<string, unknown>>;
  readonly delimiter: string;
}

/** A reply: a verdict in the format of the provider's API, or an arbitrary response. */
export type JudgeReply =
  | string
  | Readonly<Record<string, unknown>>
  | { readonly raw: (response: ServerResponse) => void };

/** A server that implements the APIs of all providers with recorded response bodies. */
export interface JudgeServer {
  /** Base URL without a path. */
  readonly url: string;
  readonly calls: JudgeCall[];
  /** Number of open requests. */
  readonly open: number;
  /** Maximum number of concurrent requests so far. */
  readonly mostOpen: number;
  /** Replies to the following requests. */
  reply: (call: JudgeCall, index: number) => JudgeReply | Promise<JudgeReply>;
  close(): Promise<void>;
}

export const VERDICT = { score: 0.9, label: "relevant", explanation: "It answers what was asked." };

/** Never responds. */
export const HANGS: JudgeReply = { raw: () => undefined };

/** Responds with a status and a body. */
export function respondWith(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): JudgeReply {
  return {
    raw: (response) =>
      void response
        .writeHead(status, { "Content-Type": "application/json", ...headers })
        .end(typeof body === "string" ? body : JSON.stringify(body)),
  };
}

/** Starts a judge server on a free port of 127.0.0.1. */
export async function startJudgeServer(reply: JudgeServer["reply"] = () => VERDICT): Promise<JudgeServer> {
  const calls: JudgeCall[] = [];
  let open = 0;
  let mostOpen = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    mostOpen = Math.max(mostOpen, ++open);
    response.once("close", () => {
      open--;
    });
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const call = readCall(request.url ?? "", request.headers, Buffer.concat(chunks).toString());
      calls.push(call);
      void Promise.resolve(judge.reply(call, calls.length - 1)).then((said) => {
        if (isRaw(said)) said.raw(response);
        else {
          const body = bodyFor(call.path, typeof said === "string" ? said : JSON.stringify(said));
          response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
        }
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const judge: JudgeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    get open() {
      return open;
    },
    get mostOpen() {
      return mostOpen;
    },
    reply,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return judge;
}

function isRaw(said: JudgeReply): said is { raw: (response: ServerResponse) => void } {
  return typeof said === "object" && typeof said["raw"] === "function";
}

function readCall(path: string, headers: IncomingHttpHeaders, json: string): JudgeCall {
  const body = JSON.parse(json) as Record<string, unknown>;
  const text = textsOf(body).join("\n");
  const [, delimiter = "", material = "{}"] = /^([0-9a-f]{24})\n(.*)\n\1$/m.exec(text) ?? [];
  return {
    path,
    headers,
    body,
    text,
    material: JSON.parse(material) as Record<string, unknown>,
    delimiter,
  };
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const OPENAI_LIKE = "../../../sdk/test/fixtures/llm-traffic/";
const OTHERS = "../fixtures/llm-traffic/";

/** The complete response of a recorded exchange. */
export function recordedAnswer(name: string): JudgeReply {
  const { status, body } = recordedResponse(OTHERS, name);
  return respondWith(status, body);
}

/** A new copy of the body of a recorded response. */
function recorded(folder: string, name: string): Record<string, unknown> {
  return recordedResponse(folder, name).body;
}

function recordedResponse(folder: string, name: string) {
  const file = new URL(`${folder}${name}.json`, import.meta.url);
  const exchange = JSON.parse(readFileSync(file, "utf8")) as {
    response: { status: number; body: Record<string, unknown> };
  };
  return exchange.response;
}

/** The recordings by request path, with the path to the text in the body. */
function bodyFor(path: string, text: string): unknown {
  if (path.endsWith("/responses")) {
    const body = recorded(OPENAI_LIKE, "openai-responses-basic");
    at(body, "output", 0, "content", 0)["text"] = text;
    return body;
  }
  if (path.includes("/chat/completions")) {
    const name = path.includes("/deployments/")
      ? "azure-openai-chat"
      : path.startsWith("/groq/")
        ? "groq-chat"
        : path.startsWith("/mistral/")
          ? "mistral-chat"
          : "openai-chat-json-schema";
    const body = recorded(OPENAI_LIKE, name);
    at(body, "choices", 0, "message")["content"] = text;
    return body;
  }
  if (path.endsWith("/messages")) {
    const body = recorded(OTHERS, "anthropic-messages-structured-output");
    at(body, "content", 0)["text"] = text;
    return body;
  }
  if (path.includes(":generateContent")) {
    const body = recorded(OTHERS, "gemini-generate-basic");
    at(body, "candidates", 0, "content", "parts", 0)["text"] = text;
    return body;
  }
  if (path.endsWith("/converse")) {
    const body = recorded(OTHERS, "bedrock-converse-tool");
    at(body, "output", "message")["content"] = [{ text }];
    return { ...body, stopReason: "end_turn" };
  }
  if (path.endsWith("/api/chat")) {
    const body = recorded(OTHERS, "ollama-chat-no-prompt-count");
    at(body, "message")["content"] = text;
    return body;
  }
  throw new Error(`No API has the path ${path}.`);
}

/** Returns the object at a path within a body. */
function at(body: Record<string, unknown>, ...path: (string | number)[]): Record<string, unknown> {
  return path.reduce(
    (value, key) => (value as Record<string | number, Record<string, unknown>>)[key] ?? {},
    body,
  );
}
