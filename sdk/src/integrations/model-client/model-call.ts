import { capturesPrompt, followLiveText, startModelSpan, type ModelSpan } from "../../capture/integration.js";
import { AsyncLocalStorage } from "../../platform/async-local-storage.js";
import { field, member, numberOf, textOf } from "../json-fields.js";
import type { ClientLibrary, ModelClientOptions } from "./client-library.js";
import type { ModelOperation, ResponseFailure, StreamAccumulator } from "./operation.js";
import type { ReadAttributes } from "./read-attributes.js";

/** What a call is recorded with. */
export interface ModelCallOptions {
  readonly client: object;
  readonly library: ClientLibrary;
  readonly operation: ModelOperation;
  readonly options: ModelClientOptions;
}

/**
 * The call in which a client prepares its requests. One storage for all clients: each AsyncLocalStorage makes every
 * asynchronous step of the app slower.
 */
const currentCallStorage = new AsyncLocalStorage<ModelCall>();

/** The call that the calling code runs in, so that the requests of a client find their call. */
export function currentCall(): ModelCall | undefined {
  return currentCallStorage.getStore();
}

/** The span of one client call, from the start of the method to the end of the response. */
export class ModelCall {
  readonly operation: ModelOperation;
  readonly #library: ClientLibrary;
  readonly #span: ModelSpan;
  #attempts = 0;
  #hasRequest = false;
  #isPromiseCollected = false;
  /** The status of the response. The response itself is not kept: it would keep the stream in memory. */
  #status: number | undefined;
  /** When data of the response last arrived, in milliseconds of the monotonic clock. */
  #lastDataMs: number | undefined;
  #isEnded = false;

  constructor(
    { client, library, operation, options }: ModelCallOptions,
    request: unknown,
    isStream: boolean,
  ) {
    this.operation = operation;
    this.#library = library;
    const read = readRequest(operation, request);
    const model = textOf(read["model"]);
    this.#span = startModelSpan({
      name: model === undefined ? operation.name : `${operation.name} ${model}`,
      spanType: operation.spanType,
      attributes: {
        provider: options.provider ?? library.providerOf(client),
        ...(isStream && { stream: true }),
        ...read,
        ...(!capturesPrompt() && { stop: undefined }),
      },
      evaluationTypes: options.evaluationTypes,
      evaluationSampleRate: options.evaluationSampleRate,
    });
  }

  /** Runs the client's method inside the span. */
  run<T>(method: () => T): T {
    return this.#span.run(() => currentCallStorage.run(this, method));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Records that the client sends the request: 0 for the first attempt, 1 for the first retry. */
  recordAttempt(retryCount: number): void {
    this.#attempts = Math.max(this.#attempts, retryCount + 1);
  }

  /** Records that the client sends the request, once more if it did before. */
  addAttempt(): void {
    this.#attempts += 1;
  }

  /** Returns true for the first request of the call. The client makes its retries inside that request. */
  claimRequest(): boolean {
    const isFirst = !this.#hasRequest;
    this.#hasRequest = true;
    return isFirst;
  }

  /** Records the HTTP response, which may arrive long before its body is read. */
  recordHttpResponse(response: unknown): void {
    if (response === undefined) return;
    this.#status = numberOf(member(response, "status"));
    this.recordData();
    const headers = member(response, "headers");
    if (typeof member(headers, "get") === "function") {
      const requestId = textOf((headers as Headers).get(this.#library.requestIdHeader));
      this.#span.setAttributes({ request_id: requestId });
    }
    if (this.#isPromiseCollected) this.endCollectedPromise();
  }

  /** Records that the response is a stream, also if the request did not say so. */
  markStream(): void {
    this.#span.setAttribute("stream", true);
  }

  /** Records that data of the response arrived. */
  recordData(): void {
    this.#lastDataMs = performance.now();
  }

  /** Sends the completion while it streams, with `live`. @returns what to call when generated content arrived. */
  followText(accumulator: StreamAccumulator): (() => void) | undefined {
    return followLiveText(this.#span, accumulator, this.operation);
  }

  /** Records that generated content arrived. */
  markFirstToken(): void {
    this.#span.markFirstToken();
  }

  /** Ends the span with the response. */
  succeed(readResponse: () => unknown): void {
    this.#end(() => {
      const response = readResponse();
      this.#setResponse(response);
      if ((this.#status ?? 0) >= 400) this.#span.setAttribute("status_code", this.#status);
      const failure = this.operation.readFailure?.(response) ?? this.#failureOfStatus(response);
      if (failure === undefined) return;
      this.#span.setAttributes({ error_type: failure.type, error_message: failure.message });
      this.#span.setStatus("ERROR");
    });
  }

  /** The failure of a response whose status a client would turn into an error. */
  #failureOfStatus(response: unknown): ResponseFailure | undefined {
    const status = this.#status ?? 0;
    if (status < 400) return undefined;
    const error = field(response, "error");
    const texts = [field(error, "message"), error, field(response, "message"), `The status is ${status}.`];
    const message = texts.map(textOf).find((text) => text !== undefined) ?? "";
    const details = [textOf(field(error, "type")), textOf(field(error, "status")), status];
    return { type: details.filter((detail) => detail !== undefined).join(" "), message };
  }

  /** Ends the span with an error, and with the part of the response that arrived. */
  fail(error: unknown, readPartialResponse?: () => unknown): void {
    this.#end(() => {
      this.#span.recordError(error).setAttributes(this.#library.describeError(error));
      if (this.#library.isUserAbort(error)) this.#span.setAttribute("aborted", true);
      if (readPartialResponse !== undefined) this.#setResponse(readPartialResponse());
    });
  }

  /** Ends the span of a response that was not read to its end, with the part that arrived. */
  abort(readPartialResponse?: () => unknown): void {
    this.#abort(readPartialResponse, undefined);
  }

  /** Ends the span of a response that was not read, with its HTTP status. */
  endUnread(): void {
    this.#endUnread(undefined);
  }

  /**
   * Ends the span of a response that nobody can read any more, because its promise was garbage-collected. The span ends
   * when the HTTP response arrived, or when it arrives.
   */
  endCollectedPromise(): void {
    this.#isPromiseCollected = true;
    if (this.#lastDataMs === undefined && this.#hasRequest) return;
    this.#endUnread(this.#lastDataMs);
  }

  /** Ends the span of a stream that was garbage-collected before its end. The span ends with the last chunk that was read. */
  endCollectedStream(readPartialResponse: () => unknown): void {
    this.#abort(readPartialResponse, this.#lastDataMs);
  }

  #abort(readPartialResponse: (() => unknown) | undefined, endMs: number | undefined): void {
    this.#end(() => {
      this.#span.setAttribute("aborted", true);
      if (readPartialResponse !== undefined) this.#setResponse(readPartialResponse());
    }, endMs);
  }

  #endUnread(endMs: number | undefined): void {
    this.#end(() => this.#span.setAttribute("status_code", this.#status), endMs);
  }

  #setResponse(response: unknown): void {
    this.operation.onResponse?.(response);
    this.#span.setAttributes(this.operation.readResponse(response));
  }

  /** @param endMs - when the call ended, on the monotonic clock. Default: now. */
  #end(describe: () => void, endMs?: number): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    try {
      if (this.#attempts > 1) this.#span.setAttribute("attempts", this.#attempts);
      describe();
    } catch {
      // The attributes that were read before are kept.
    }
    if (endMs === undefined) this.#span.end();
    else this.#span.endAt(endMs);
  }
}

/** A request whose getters throw is recorded without attributes. */
function readRequest({ readRequest: read }: ModelOperation, request: unknown): ReadAttributes {
  try {
    return read(request);
  } catch {
    return {};
  }
}
