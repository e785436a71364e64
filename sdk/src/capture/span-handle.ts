import type { KnownSpanStatus, KnownSpanType, Message, ToolDefinition } from "../wire/index.js";

/** Attributes whose keys the collector knows (spec 2.2, contract 1), with the types that they must have. */
export interface KnownAttributeValues {
  /** Model that answered, as the provider names it. */
  model?: string | undefined;
  /** `openai`, `anthropic`, `google`, `bedrock`, … */
  provider?: string | undefined;
  /** All input tokens, cached ones included. */
  tokens_input?: number | undefined;
  /** All output tokens, reasoning included. */
  tokens_output?: number | undefined;
  /** Input tokens that the provider read from its cache; part of `tokens_input`. */
  tokens_cached?: number | undefined;
  /** Output tokens spent on reasoning; part of `tokens_output`. */
  tokens_reasoning?: number | undefined;
  /** Input tokens that the provider wrote to its cache; part of `tokens_input`. */
  tokens_cache_write?: number | undefined;
  /** USD. Where it is set, no cost is calculated. */
  cost_usd?: number | undefined;
  /** Milliseconds from the start of the call to the first generated token. */
  ttft_ms?: number | undefined;
  tool_name?: string | undefined;
  agent?: string | undefined;
  session_id?: string | undefined;
  user_id?: string | undefined;
  /** The answer came as a stream. */
  stream?: boolean | undefined;
  prompt_text?: string | undefined;
  completion_text?: string | undefined;
  prompt_messages?: readonly Message[] | undefined;
  completion_messages?: readonly Message[] | undefined;
  tool_definitions?: readonly ToolDefinition[] | undefined;
  /** What went into a span that is no model call. */
  input_text?: string | undefined;
  /** What came out of a span that is no model call. */
  output_text?: string | undefined;
  temperature?: number | undefined;
  max_tokens?: number | undefined;
  finish_reason?: string | undefined;
  error_type?: string | undefined;
  error_message?: string | undefined;
}

/**
 * Attributes as the app gives them: the known keys, and any others. Anything may be a value: what JSON cannot carry is
 * written as text, what is too large is clipped, `undefined` is left out. Nothing is kept by reference, so an array
 * that changes later changes no span.
 */
export interface SpanAttributes extends KnownAttributeValues {
  [key: string]: unknown;
}

/** The kind of a span: one that the viewer knows, or any other string. */
export type SpanType = KnownSpanType | (string & {});

/** A span that is under way. No method ever throws; after the span's end they do nothing. */
export interface SpanHandle {
  /** 32 hexadecimal digits; empty where nothing is recorded. */
  readonly traceId: string;
  /** 16 hexadecimal digits; empty where nothing is recorded. */
  readonly spanId: string;
  /** False where nothing is recorded: not configured, turned off, or the span has ended. */
  readonly isRecording: boolean;
  /** Sets one attribute. `undefined` and numbers that are not finite are left out. */
  setAttribute(key: string, value: unknown): this;
  /** Sets several attributes; those that were set before under other keys stay. */
  setAttributes(attributes: SpanAttributes): this;
  /** Notes something that happened now. At most 128 are kept. */
  addEvent(name: string, attributes?: SpanAttributes): this;
  /** Sets the outcome. Default: `OK`, or `ERROR` once an error was recorded. */
  setStatus(status: Exclude<KnownSpanStatus, "RUNNING"> | (string & {})): this;
  /**
   * Marks the span as failed, with `error_type`, `error_message` and `error_stack`. An error that a span inside this
   * one has recorded already is marked as propagated: it is shown, and not counted again.
   */
  recordError(error: unknown): this;
}

/** A span that the code which started it ends by hand. */
export interface ManualSpan extends SpanHandle {
  /** Runs a function inside the span: spans started in it, also after an `await`, become its children. */
  run<T>(fn: () => T): T;
  /** Ends the span and hands it to the exporter. Safe twice; the first call counts. */
  end(): void;
}
