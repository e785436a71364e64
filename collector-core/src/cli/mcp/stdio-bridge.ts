import { isRecord } from "../../analysis/values.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import type { CollectorClient } from "../collector-client.js";
import { CommandFailure } from "../command-failure.js";

/** Messages that are sent at a time. A client seldom has more than one under way. */
const CONCURRENCY = 8;
/** With this many bytes of messages under way, no more is read until some are answered. */
const MAX_BYTES = 2 ** 20;
/** What a message takes besides its text. */
const MESSAGE_BYTES = 1024;
const PATH = "/mcp";
const ACCEPT = "application/json, text/event-stream";
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The parameter that the header `Mcp-Name` repeats. */
const NAMED_BY: ReadonlyMap<unknown, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const NO_COLLECTOR = -32_000;
const NO_RESPONSE =
  "What answers at the address of the collector does not speak MCP: `obspan doctor` says what it is.";

/** Passes messages on to a collector. */
export interface StdioBridge {
  /** Takes a line with a message. Resolves when it may get another one. @throws what `write` throws. */
  receive(line: string): Promise<void>;
  /** Rejects if a later answer cannot be written. Never resolves. */
  readonly failed: Promise<never>;
  /** Resolves when all messages so far are answered. */
  settled(): Promise<void>;
}

/**
 * Connects a client on stdin and stdout with `POST /mcp`. Knows nothing of the tools: old and new versions of the command and of
 * the collector work together. A collector that is away is an answer, so that the client need not start again when it is back.
 *
 * @param write - writes an answer, one line.
 */
export function createStdioBridge(
  client: Pick<CollectorClient, "message">,
  write: (answer: string) => void,
): StdioBridge {
  const limited = createConcurrencyLimit(CONCURRENCY);
  const pending = new Set<Promise<void>>();
  let bytes = 0;
  let onLess: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // It is no failure of its own until somebody waits for it.
  failed.catch(() => undefined);
  /** What `initialize` has agreed on. Newer protocols name their version in every message. */
  let agreed: string | undefined;

  async function pass(message: Readonly<Record<string, unknown>>): Promise<void> {
    const { id, method } = message;
    try {
      const body = await limited(() => client.message(PATH, message, headersOf(message, agreed)));
      if (id === undefined) return;
      let isAnswered = false;
      for (const answer of answersIn(body)) {
        const isResponse = isResponseTo(id, answer);
        if (!isResponse && !isNotification(answer)) continue;
        if (method === "initialize") agreed = agreedIn(answer) ?? agreed;
        // Written again: line breaks between its values would make several messages of one.
        write(JSON.stringify(isResponse ? { ...answer, id } : answer));
        isAnswered ||= isResponse;
      }
      if (!isAnswered) write(JSON.stringify(failureAnswer(id, method, NO_RESPONSE)));
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      if (id !== undefined) write(JSON.stringify(failureAnswer(id, method, error.message)));
    }
  }

  return {
    failed,
    async receive(line) {
      const message = parsed(line);
      if (message === undefined) {
        write(
          JSON.stringify(
            rpcError(null, PARSE_ERROR, "The line is not a JSON message, or is longer than 256 KiB."),
          ),
        );
        return;
      }
      if (!isRecord(message)) {
        write(JSON.stringify(rpcError(null, INVALID_REQUEST, "A line must be one JSON-RPC message.")));
        return;
      }
      const size = MESSAGE_BYTES + Buffer.byteLength(line);
      bytes += size;
      const passing = pass(message)
        .catch(fail)
        .finally(() => {
          pending.delete(passing);
          bytes -= size;
          onLess();
        });
      pending.add(passing);
      while (bytes > MAX_BYTES)
        await new Promise<void>((resolve) => {
          onLess = resolve;
        });
    },
    async settled() {
      await Promise.all(pending);
    },
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function headersOf(
  { method, params }: Readonly<Record<string, unknown>>,
  agreed: string | undefined,
): Record<string, string> {
  const given = isRecord(params) ? params : {};
  const meta = isRecord(given["_meta"]) ? given["_meta"] : {};
  const version = meta[VERSION_KEY] ?? agreed;
  const name = given[NAMED_BY.get(method) ?? ""];
  return {
    Accept: ACCEPT,
    ...(typeof version === "string" && { "MCP-Protocol-Version": headerValue(version) }),
    ...(typeof method === "string" && { "Mcp-Method": headerValue(method) }),
    ...(typeof name === "string" && { "Mcp-Name": headerValue(name) }),
  };
}

/** A value as a header can carry it: in base64 if it has other characters than printable ASCII. */
function headerValue(value: string): string {
  if (/^(?!=\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

/** The messages of an answer: its JSON, or the data of its events. */
function answersIn(body: string): Readonly<Record<string, unknown>>[] {
  const texts = body.startsWith("{")
    ? [body]
    : body.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
  return texts
    .map(parsed)
    .filter(isRecord)
    .filter(({ jsonrpc }) => jsonrpc === "2.0");
}

/** Another server at the address may send requests, and responses to other requests: a client would take them for its own. */
function isResponseTo(id: unknown, answer: Readonly<Record<string, unknown>>): boolean {
  const hasOutcome = "result" in answer || "error" in answer;
  // The collector does not know the id of a message that it cannot read.
  return hasOutcome && answer["method"] === undefined && (answer["id"] === id || answer["id"] === null);
}

function isNotification(answer: Readonly<Record<string, unknown>>): boolean {
  return typeof answer["method"] === "string" && answer["id"] === undefined;
}

function agreedIn({ result }: Readonly<Record<string, unknown>>): string | undefined {
  const version = isRecord(result) ? result["protocolVersion"] : undefined;
  return typeof version === "string" ? version : undefined;
}

/** A call of a tool fails with a text that a model reads; anything else with an error that the client shows. */
function failureAnswer(id: unknown, method: unknown, problem: string): object {
  if (method !== "tools/call") return rpcError(id, NO_COLLECTOR, problem);
  return {
    jsonrpc: "2.0",
    id,
    result: { content: [{ type: "text", text: problem }], isError: true, resultType: "complete" },
  };
}

function rpcError(id: unknown, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
