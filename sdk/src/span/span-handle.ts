import type {
  KnownAttribute,
  KnownSpanStatus,
  KnownSpanType,
  Message,
  ToolDefinition,
} from "../wire/index.js";

/** The attributes whose keys the collector knows, with their types (spec 2.2, contract 1). */
export interface KnownAttributeValues {
  /** Model that responded, as the provider names it. */
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
  /** Cost of the call in USD. If it is set, no cost is calculated. */
  cost_usd?: number | undefined;
  /** Milliseconds from the start of the call to the first generated token. */
  ttft_ms?: number | undefined;
  tool_name?: string | undefined;
  agent?: string | undefined;
  session_id?: string | undefined;
  user_id?: string | undefined;
  /** True if the response was streamed. */
  stream?: boolean | undefined;
  prompt_name?: string | undefined;
  prompt_version?: string | undefined;
  prompt_text?: string | undefined;
  completion_text?: string | undefined;
  prompt_messages?: readonly Message[] | undefined;
  completion_messages?: readonly Message[] | undefined;
  tool_definitions?: readonly ToolDefinition[] | undefined;
  /** Input of a span that is not a model call. */
  input_text?: string | undefined;
  /** Output of a span that is not a model call. */
  output_text?: string | undefined;
  temperature?: number | undefined;
  max_tokens?: number | undefined;
  finish_reason?: string | undefined;
  error_type?: string | undefined;
  error_message?: string | undefined;
}

/**
 * Attributes that an app sets: the known keys and any others. A value can be anything. What JSON cannot carry becomes
 * text, what is too large is clipped, and `undefined` is left out. Values are copied: changing an array later does not
 * change the span.
 */
export interface SpanAttributes extends KnownAttributeValues {
  [key: string]: unknown;
}

/** The kind of a span: a kind that the viewer knows, or any other string. */
export type SpanType = KnownSpanType | (string & {});

/** A span that has started. No method throws. After the end of the span, the methods do nothing. */
export interface SpanHandle {
  /** 32 hexadecimal digits; empty if nothing is recorded. */
  readonly traceId: string;
  /** 16 hexadecimal digits; empty if nothing is recorded. */
  readonly spanId: string;
  /** False if nothing is recorded: the SDK is not configured or turned off, or the span has ended. */
  readonly isRecording: boolean;
  /** Sets one attribute. `undefined` and non-finite numbers are left out. */
  setAttribute(key: KnownAttribute | (string & {}), value: unknown): this;
  /** Sets several attributes. Attributes with other keys are kept. */
  setAttributes(attributes: SpanAttributes): this;
  /** Adds an event with the current time. A span keeps at most 128 events. */
  addEvent(name: string, attributes?: SpanAttributes): this;
  /** Sets the outcome. Default: `OK`, or `ERROR` after an error was recorded. */
  setStatus(status: Exclude<KnownSpanStatus, "RUNNING"> | (string & {})): this;
  /**
   * Marks the span as failed, with `error_type`, `error_message` and `error_stack`. An error that a span inside this one
   * has already recorded is marked as propagated: it is shown, but not counted again.
   */
  recordError(error: unknown): this;
}

/** A span that you end yourself. */
export interface ManualSpan extends SpanHandle {
  /** Runs a function inside the span: spans that it starts become children, also after an `await`. */
  run<T>(fn: () => T): T;
  /** Ends the span and passes it to the exporter. Only the first call has an effect. */
  end(): void;
}
