import {
  capturesCompletion,
  capturesPrompt,
  currentTraceparent,
  isRecording,
  startSpan,
  stringifyValue,
  withTrace,
  type ManualSpan,
} from "../../capture/integration.js";
import { elementsOf, field, numberOf, textOf } from "../json-fields.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import {
  cancelledIdOf,
  requestOf,
  responseIdOf,
  traceparentOf,
  withTraceparent,
  type MessageId,
} from "./messages.js";

/** Requests that wait for a response at a time. Further ones are not recorded. */
const MAX_OPEN = 1000;

/** Requests that say nothing about the app's work. */
const UNRECORDED = new Set(["initialize", "ping", "server/discover", "logging/setLevel"]);

/** What a transport sends. */
interface SentMessage {
  /** The message to send instead of that of the app. */
  readonly sent: unknown;
  /** To be called if sending fails; undefined for a message without a span. */
  readonly onFailure?: (error: unknown) => void;
}

/** The requests of one connection that wait for a response, in both directions. */
export class Requests {
  readonly #sent = new Map<MessageId, ManualSpan>();
  readonly #received = new Map<MessageId, ManualSpan>();
  /** The id of the request that the connection begins with, by direction. */
  #initializeId: MessageId | undefined;
  #serverName: string | undefined;

  /** Begins the span of a request, or ends the one that a response belongs to. */
  send(message: unknown): SentMessage {
    const request = requestOf(message);
    if (request === undefined) {
      this.#settle(this.#received, this.#sent, message);
      return { sent: message };
    }
    this.#noteRequest(request);
    const span = this.#start(this.#sent, request, message, "tool");
    if (span === undefined) return { sent: withTraceparent(message, currentTraceparent()) };
    const sent = withTraceparent(message, span.run(currentTraceparent));
    return { sent, onFailure: (error) => this.#failSent(request.id, span, error) };
  }

  /** Runs the handler of a message, in the span of the request. */
  receive(message: unknown, handle: () => unknown): unknown {
    const request = ignoringErrors(() => requestOf(message));
    if (request === undefined) {
      ignoringErrors(() => this.#settle(this.#sent, this.#received, message));
      return handle();
    }
    this.#noteRequest(request);
    const run = (toolType: "tool" | "span"): unknown => {
      const span = ignoringErrors(() => this.#start(this.#received, request, message, toolType));
      return span === undefined ? handle() : span.run(handle);
    };
    const traceparent = traceparentOf(message);
    // With a trace, the sender counts the call of the tool.
    return traceparent === undefined ? run("tool") : withTrace(traceparent, () => run("span"));
  }

  /** Ends the spans of the requests that get no response any more. */
  close(): void {
    for (const open of [this.#sent, this.#received]) {
      for (const span of open.values()) abort(span, "The connection was closed.");
      open.clear();
    }
  }

  #start(
    open: Map<MessageId, ManualSpan>,
    { method, id }: { readonly method: string; readonly id: MessageId },
    message: unknown,
    toolType: "tool" | "span",
  ): ManualSpan | undefined {
    const isToolCall = method === "tools/call";
    if (!isRecording() || UNRECORDED.has(method) || (!isToolCall && currentTraceparent() === undefined))
      return undefined;
    if (open.size >= MAX_OPEN || open.has(id)) return undefined;
    const params = field(message, "params");
    const name = textOf(field(params, "name"));
    const span = startSpan({
      name: isToolCall ? (name ?? method) : name === undefined ? method : `${method} ${name}`,
      spanType: isToolCall ? toolType : "span",
      attributes: {
        "mcp.method.name": method,
        "mcp.server.name": this.#serverName,
        ...(isToolCall && { tool_name: name }),
        ...(capturesPrompt() && { input_text: inputOf(method, params) }),
      },
    });
    open.set(id, span);
    return span;
  }

  /** Ends the span of a request that could not be sent: it gets no response. */
  #failSent(id: MessageId, span: ManualSpan, error: unknown): void {
    if (this.#sent.get(id) !== span) return;
    this.#sent.delete(id);
    span.recordError(error).end();
  }

  /** Ends the span of the request that a response or a cancellation belongs to. */
  #settle(
    answered: Map<MessageId, ManualSpan>,
    cancelled: Map<MessageId, ManualSpan>,
    message: unknown,
  ): void {
    const cancelledId = cancelledIdOf(message);
    if (cancelledId !== undefined) {
      const span = cancelled.get(cancelledId);
      cancelled.delete(cancelledId);
      if (span !== undefined)
        abort(span, textOf(field(field(message, "params"), "reason")) ?? "The request was cancelled.");
      return;
    }
    const id = responseIdOf(message);
    if (id === undefined) return;
    if (id === this.#initializeId) this.#noteServer(message);
    const span = answered.get(id);
    answered.delete(id);
    if (span !== undefined) endWith(span, message);
  }

  #noteRequest({ method, id }: { readonly method: string; readonly id: MessageId }): void {
    if (method === "initialize") this.#initializeId = id;
  }

  #noteServer(response: unknown): void {
    this.#initializeId = undefined;
    this.#serverName = textOf(field(field(field(response, "result"), "serverInfo"), "name"));
  }
}

/** What a request asks for. Addresses of resources may contain secrets in their query. */
function inputOf(method: string, params: unknown): string | undefined {
  if (method === "tools/call" || method === "prompts/get") {
    const args = field(params, "arguments");
    return args === undefined ? undefined : stringifyValue(args);
  }
  return textOf(field(params, "uri"))?.split(/[?#]/, 1)[0];
}

function endWith(span: ManualSpan, response: unknown): void {
  const error = field(response, "error");
  const result = field(response, "result");
  if (error !== undefined) {
    fail(span, `mcp_${numberOf(field(error, "code")) ?? "error"}`, textOf(field(error, "message")));
  } else {
    const text = capturesCompletion() ? resultText(result) : undefined;
    span.setAttribute("output_text", text);
    if (field(result, "isError") === true) fail(span, "tool_error", text);
  }
  span.end();
}

/** The texts of a result; its JSON if it has other content. Of a resource only its text: its address may contain secrets. */
function resultText(result: unknown): string | undefined {
  if (result === undefined) return undefined;
  const contents = field(result, "contents");
  if (contents !== undefined)
    return joined(elementsOf(contents).flatMap((part) => textOf(field(part, "text")) ?? []));
  const content = elementsOf(field(result, "content"));
  const texts = content.flatMap((part) => textOf(field(part, "text")) ?? []);
  if (texts.length > 0 && texts.length === content.length) return joined(texts);
  const structured = field(result, "structuredContent");
  return stringifyValue(structured ?? (content.length > 0 ? content : result));
}

function joined(texts: readonly string[]): string | undefined {
  return textOf(texts.join("\n"));
}

function abort(span: ManualSpan, reason: string): void {
  span.setAttribute("aborted", true);
  fail(span, "aborted", reason);
  span.end();
}

function fail(span: ManualSpan, type: string, message: string | undefined): void {
  span.setAttributes({ error_type: type, error_message: message }).setStatus("ERROR");
}
