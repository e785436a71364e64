import type { ReadAttributes } from "./read-attributes.js";

/** One method of the client: what its request, its answer and the chunks of its stream say. */
export interface Operation {
  /** In the span's name, before the model: OpenTelemetry's `gen_ai.operation.name`. */
  readonly name: string;
  readonly spanType: "llm" | "embedding";
  readonly readRequest: (request: unknown) => ReadAttributes;
  readonly readResponse: (response: unknown) => ReadAttributes;
  /** What went wrong, where an answer that came in good order says that the call failed. */
  readonly readFailure?: (response: unknown) => Failure | undefined;
  /** Hears of every answer, whole or as far as it came. */
  readonly onAnswer?: (response: unknown) => void;
  /** Puts a stream together again; absent where the method has no streams. */
  readonly startFold?: () => StreamFold;
  /** True where the provider sends a stream's usage only when `stream_options.include_usage` asks for it. */
  readonly usageOnRequest?: boolean;
}

/** An error that a response carries in its body. */
export interface Failure {
  readonly type: string;
  readonly message: string;
}

/** Folds the chunks of a stream into the response that the same call would have given without one. */
export interface StreamFold {
  /** Takes a chunk in; true where it carries anything generated: text, reasoning, a refusal, audio or a tool call. */
  add(chunk: unknown): boolean;
  /** The response so far, in the shape of one that was not streamed. */
  response(): unknown;
  /** True when the model has said that it is done: a reader that leaves now misses nothing. */
  isComplete(): boolean;
}
