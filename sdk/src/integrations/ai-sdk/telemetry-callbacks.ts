/** The callbacks of the AI SDK, by name. `lifetime` is an object that lives as long as the operation. */
export type TelemetryCallbacks = Readonly<Record<string, (event: unknown, lifetime: object) => void>>;

/** What the AI SDK passes to a hook around a model call or a tool. */
export interface Execution<T> {
  readonly callId: string;
  readonly toolCallId?: string;
  readonly execute: () => PromiseLike<T>;
}

/** The hooks of AI SDK 7 around model calls and tools, which bind the context, and its callbacks. */
export interface Telemetry7 {
  readonly callbacks: TelemetryCallbacks;
  readonly executeLanguageModelCall: <T>(execution: Execution<T>) => PromiseLike<T>;
  readonly executeTool: <T>(execution: Execution<T>) => PromiseLike<T>;
}

/** The code that records operations. */
export interface Telemetry {
  /** For all operations of version 7. */
  readonly version7: Telemetry7;
  /** For one operation of version 6. */
  readonly createTelemetry6: () => TelemetryCallbacks;
}
