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

  /** Hears of the HTTP response, which may come long before the answer is read. */
  noteResponse(response: unknown): void {
    const headers = field(response, "headers");
    if (headers instanceof Headers) {
      this.#span.setAttributes({ request_id: textOf(headers.get("x-request-id")) });
    }
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
  endUnread(response: unknown): void {
    this.#end(() => this.#span.setAttribute("status_code", numberOf(field(response, "status"))));
  }

  #setPartialAnswer(read: (() => unknown) | undefined): void {
    if (read === undefined) return;
    const answer = read();
    this.operation.onAnswer?.(answer);
    this.#span.setAttributes(this.operation.readResponse(answer));
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
    this.#span.end();
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
