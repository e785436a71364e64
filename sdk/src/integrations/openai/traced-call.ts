import { AsyncLocalStorage } from "node:async_hooks";
import { capturesPrompt, startModelSpan, type ModelSpan } from "../../capture/integration.js";
import { field, numberOf, textOf } from "../json-fields.js";
import { describeApiError, isUserAbort } from "./api-error.js";
import type { Operation } from "./operation.js";
import { providerOf } from "./provider.js";
import type { ReadAttributes } from "./read-attributes.js";
import type { WrapOpenAIOptions } from "./wrap-openai.js";

/** What the calls of a client are recorded with. */
export interface CallSettings {
  readonly client: object;
  readonly operation: Operation;
  readonly options: WrapOpenAIOptions;
}

/** The call in which the client prepares its requests. */
const runningCall = new AsyncLocalStorage<TracedCall>();

/** The call that the current code was started by, so that an attempt of the client can be told to it. */
export function currentCall(): TracedCall | undefined {
  return runningCall.getStore();
}

/** One call of the client under way: its span, from the method's start to the last that is known of the answer. */
export class TracedCall {
  readonly operation: Operation;
  readonly #span: ModelSpan;
  #attempts = 0;
  #isRequested = false;
  #isForgotten = false;
  /** Of the response, which itself must not be kept: it keeps the stream that it carries. */
  #status: number | undefined;
  /** When something was last heard of the answer. */
  #lastHeardMs: number | undefined;
  /** When the span ended, where that is not when it is ended. */
  #endMs: number | undefined;
  #isEnded = false;

  constructor({ client, operation, options }: CallSettings, request: unknown, isStream: boolean) {
    this.operation = operation;
    const model = textOf(field(request, "model"));
    this.#span = startModelSpan({
      name: model === undefined ? operation.name : `${operation.name} ${model}`,
      spanType: operation.spanType,
      attributes: {
        provider: options.provider ?? providerOf(client),
        ...(isStream && { stream: true }),
        ...readRequest(operation, request),
        ...(!capturesPrompt() && { stop: undefined }),
      },
      evaluationTypes: options.evaluationTypes,
      evaluationSampleRate: options.evaluationSampleRate,
    });
  }

  /** Runs the client's method: what it starts becomes a child of the span. */
  run<T>(method: () => T): T {
    return this.#span.run(() => runningCall.run(this, method));
  }

  /** True once the span has ended, in whatever way. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Hears that the client sends the request, for the first time or again after a failure. */
  noteAttempt(retryCount: number): void {
    this.#attempts = Math.max(this.#attempts, retryCount + 1);
  }

  /** True for the first request that the client makes for the call: it holds those with which the client tries again. */
  takesRequest(): boolean {
    const isFirst = !this.#isRequested;
    this.#isRequested = true;
    return isFirst;
  }

  /** Hears of the HTTP response, which may come long before the answer is read. */
  noteResponse(response: unknown): void {
    if (response === undefined) return;
    this.#status = numberOf(field(response, "status"));
    this.noteLife();
    const headers = field(response, "headers");
    if (typeof field(headers, "get") === "function") {
      this.#span.setAttributes({ request_id: textOf((headers as Headers).get("x-request-id")) });
    }
    if (this.#isForgotten) this.forget();
  }

  /** Hears that the answer goes on. */
  noteLife(): void {
    this.#lastHeardMs = performance.now();
  }

  /** Hears that something generated has arrived. */
  markFirstToken(): void {
    this.#span.markFirstToken();
  }

  /** Ends the span with the answer. */
  succeed(readAnswer: () => unknown): void {
    this.#end(() => {
      const answer = readAnswer();
      this.operation.onAnswer?.(answer);
      this.#span.setAttributes(this.operation.readResponse(answer));
      const failure = this.operation.readFailure?.(answer);
      if (failure === undefined) return;
      this.#span.setAttributes({ error_type: failure.type, error_message: failure.message });
      this.#span.setStatus("ERROR");
    });
  }

  /** Ends the span with an error, and with what had come of the answer until then. */
  fail(error: unknown, readPartialAnswer?: () => unknown): void {
    this.#end(() => {
      this.#span.recordError(error).setAttributes(describeApiError(error));
      if (isUserAbort(error)) this.#span.setAttribute("aborted", true);
      this.#setPartialAnswer(readPartialAnswer);
    });
  }

  /** Ends the span of an answer that nobody wanted to the end, with what had come until then. */
  abort(readPartialAnswer?: () => unknown): void {
    this.#end(() => {
      this.#span.setAttribute("aborted", true);
      this.#setPartialAnswer(readPartialAnswer);
    });
  }

  /** Ends the span of an answer that was not read, with the HTTP status of the response. */
  endUnread(): void {
    this.#end(() => this.#span.setAttribute("status_code", this.#status));
  }

  /**
   * Hears that nobody can read the answer any more, of which nothing was read: its end is that of the response's arrival,
   * which may be to come.
   */
  forget(): void {
    this.#isForgotten = true;
    if (this.#lastHeardMs === undefined && this.#isRequested) return;
    this.#endedBefore(() => this.endUnread());
  }

  /** {@link abort} of an answer that nobody can read any more: it ended with what was last read of it. */
  forgetStream(readPartialAnswer: () => unknown): void {
    this.#endedBefore(() => this.abort(readPartialAnswer));
  }

  #setPartialAnswer(read: (() => unknown) | undefined): void {
    if (read === undefined) return;
    const answer = read();
    this.operation.onAnswer?.(answer);
    this.#span.setAttributes(this.operation.readResponse(answer));
  }

  /** Ends the span as of the moment when something was last heard of the answer. */
  #endedBefore(end: () => void): void {
    this.#endMs = this.#lastHeardMs;
    end();
  }

  #end(describe: () => void): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    try {
      if (this.#attempts > 1) this.#span.setAttribute("attempts", this.#attempts);
      describe();
    } catch {
      // What could be read of the answer is what there is; the app must not hear of it.
    }
    if (this.#endMs === undefined) this.#span.end();
    else this.#span.endAt(this.#endMs);
  }
}

/** A request that cannot be read, because a getter throws, is a call all the same. */
function readRequest({ readRequest: read }: Operation, request: unknown): ReadAttributes {
  try {
    return read(request);
  } catch {
    return {};
  }
}
