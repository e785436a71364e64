import type { ReadAttributes } from "./read-attributes.js";

/** A kind of model call: how its requests and responses are read, and its streams accumulated. */
export interface ModelOperation {
  /** Start of the span's name, before the model: OpenTelemetry's `gen_ai.operation.name`. */
  readonly name: string;
  readonly spanType: "llm" | "embedding" | "retrieval";
  readonly readRequest: (request: unknown) => ReadAttributes;
  readonly readResponse: (response: unknown) => ReadAttributes;
  /** The failure that a successful HTTP response reports in its body, if any. */
  readonly readFailure?: (response: unknown) => ResponseFailure | undefined;
  /** Called with every response, complete or partial. The only function here that may have a side effect. */
  readonly onResponse?: (response: unknown) => void;
  /** Absent if the method does not stream. */
  readonly createAccumulator?: () => StreamAccumulator;
}

/** A failure that a response reports in its body. */
export interface ResponseFailure {
  readonly type: string;
  readonly message: string;
}

/** Accumulates the chunks of a stream into the response that the same call would return without streaming. */
export interface StreamAccumulator {
  /** Adds a chunk. Returns true if it has generated content: text, reasoning, a refusal, audio or a tool call. */
  add(chunk: unknown): boolean;
  /** The response so far, in the shape of a response that was not streamed. */
  response(): unknown;
  /** True once the model has finished: a reader that stops now misses nothing. */
  isComplete(): boolean;
}
