import {
  capturesCompletion,
  capturesPrompt,
  followLiveText,
  readChunk,
  startModelSpan,
  tapReadableStream,
  TextAccumulator,
  type ManualSpan,
  type ModelSpan,
} from "../../capture/integration.js";
import { field, textOf } from "../json-fields.js";
import { nonEmpty, type ReadAttributes } from "../model-client/read-attributes.js";
import { completionText, promptText } from "../wire/message-texts.js";
import { recordFailure } from "./failure.js";
import { modelMessages, modelResponse, toolDefinitions } from "./model-messages.js";
import { providerName } from "./provider-name.js";
import { tokenCounts } from "./token-counts.js";

/** The parts of a stream that have generated content. */
const GENERATED = /(text|reasoning)-delta|^tool-|file$/;

/** The span of a model call that has not ended. The AI SDK retries inside the call. */
export class OpenModelCall {
  readonly span: ModelSpan;
  readonly #hidesContent: boolean;
  readonly #text = new TextAccumulator();
  /** Called when text arrived; undefined if it is not sent while it arrives. */
  #onText: (() => void) | undefined;
  #isStream = false;
  #attempts = 0;
  #failure: { readonly error: unknown } | undefined;
  #endMs: number | undefined;

  /** @param hidesContent - true if the app turned the recording of inputs or outputs off. */
  constructor(
    parent: ManualSpan,
    attributes: ReadAttributes,
    hidesContent: boolean,
    spanType: "llm" | "embedding" = "llm",
  ) {
    this.#hidesContent = hidesContent;
    this.span = parent.run(() => startCallSpan(spanType, attributes));
  }

  /** The error of the last attempt. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** How often the call was tried. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Starts an attempt that nothing wraps. */
  startAttempt(): void {
    this.#attempts += 1;
    this.#failure = undefined;
  }

  /** Records that the last attempt failed. The AI SDK may try again. */
  failAttempt(error: unknown): void {
    this.#failure = { error };
  }

  /** Records a chunk of the provider's stream, where the AI SDK does not show its own. */
  addChunk(chunk: unknown): void {
    this.#startStream();
    const { text, isGenerated } = readChunk(chunk);
    this.#add(isGenerated, text);
  }

  /** Runs an attempt inside the span. Its stream is observed while the AI SDK reads it. */
  async attempt<T>(execute: () => PromiseLike<T>): Promise<T> {
    this.startAttempt();
    try {
      const result = await this.span.run(execute);
      this.#observe(result);
      return result;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Sets when the model finished, if the call is described later. Models that tools call are recorded from now on. */
  finishedAt(monotonicMs: number): void {
    this.#endMs ??= monotonicMs;
    this.#release();
  }

  /** Ends the span with the response. */
  succeed(attributes: ReadAttributes): void {
    if (this.#failure !== undefined) recordFailure(this.span, this.#failure.error, this.#hidesContent);
    this.#end(attributes);
  }

  /** Ends the span with an error, and with the text that arrived. The error of the last attempt is the more exact one. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.succeed({ completion_text: this.#text.toString() || undefined });
  }

  /** Ends the span of a call that the app cancelled, with the text that arrived. */
  abort(): void {
    this.#end({ aborted: true, completion_text: this.#text.toString() || undefined });
  }

  #release(): void {
    Object.assign(this.span, { ownsModelCall: undefined });
  }

  #end(attributes: ReadAttributes): void {
    this.span.setAttributes({ attempts: this.#attempts > 1 ? this.#attempts : undefined, ...attributes });
    this.#release();
    if (this.#endMs === undefined) this.span.end();
    else this.span.endAt(this.#endMs);
  }

  /**
   * Observes the stream of a result. The stream is locked only when the AI SDK starts to read it: the result may be a copy,
   * and the AI SDK then reads the original.
   */
  #observe(result: unknown): void {
    const stream: unknown =
      typeof result === "object" && result !== null
        ? Object.getOwnPropertyDescriptor(result, "stream")?.value
        : undefined;
    if (!(stream instanceof ReadableStream)) return;
    this.#startStream();
    Object.defineProperty(stream, "pipeThrough", {
      configurable: true,
      writable: true,
      value: (...args: Parameters<ReadableStream["pipeThrough"]>) =>
        this.#tap(stream as ReadableStream<unknown>).pipeThrough(...args),
    });
  }

  get #keepsText(): boolean {
    return capturesCompletion() && !this.#hidesContent;
  }

  #startStream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    this.span.setAttribute("stream", true);
    if (this.#keepsText) this.#onText = followLiveText(this.span, { response: () => this.#text.toString() });
  }

  #add(isGenerated: boolean, text: string | undefined): void {
    if (isGenerated) this.span.markFirstToken();
    if (text === undefined || !this.#keepsText) return;
    this.#text.append(text);
    this.#onText?.();
  }

  #tap(stream: ReadableStream<unknown>): ReadableStream<unknown> {
    return tapReadableStream(stream, {
      onChunk: (chunk) => {
        const type = textOf(field(chunk, "type")) ?? "";
        this.#add(GENERATED.test(type), type === "text-delta" ? textOf(field(chunk, "delta")) : undefined);
        if (type === "error") this.failAttempt(field(chunk, "error"));
        return true;
      },
      onEnd: (end) => {
        if (end.type === "failed") this.failAttempt(end.error);
        if (end.type === "aborted" && this.span.isRecording) this.abort();
      },
    });
  }
}

/** Starts the span of a model call, as a child of the current span. */
export function startCallSpan(spanType: "llm" | "embedding", attributes: ReadAttributes): ModelSpan {
  const name = [spanType === "llm" ? "chat" : "embeddings", attributes["model"]].filter(Boolean).join(" ");
  return startModelSpan({ name, spanType, attributes });
}

/** The attributes of a request. Reads the events of all versions. */
export function requestAttributes(request: unknown): ReadAttributes {
  const messages = capturesPrompt()
    ? modelMessages(
        field(request, "instructions") ?? field(request, "system"),
        field(request, "promptMessages") ?? field(request, "messages"),
      )
    : [];
  return {
    model: field(request, "modelId"),
    provider: providerName(field(request, "provider")),
    temperature: field(request, "temperature"),
    max_tokens: field(request, "maxOutputTokens"),
    prompt_messages: nonEmpty(messages),
    prompt_text: promptText(messages),
    tool_definitions: nonEmpty(toolDefinitions(field(request, "tools"))),
  };
}

/** The attributes of a response: model, tokens, finish reason and content. */
export function responseAttributes(response: unknown, content: unknown): ReadAttributes {
  const finishReason = field(response, "finishReason");
  const messages = capturesCompletion() ? modelResponse(content, finishReason) : [];
  return {
    ...tokenCounts(field(response, "usage")),
    finish_reason: finishReason,
    completion_messages: nonEmpty(messages),
    completion_text: completionText(messages),
  };
}
