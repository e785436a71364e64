import type { ModelOperation } from "./operation.js";
import type { ReadAttributes } from "./read-attributes.js";
import type { StreamSettings } from "./stream-settings.js";

/** How the calls of a client are recorded. */
export interface ModelClientOptions {
  /** Provider that the client talks to. Default: what {@link ClientLibrary.providerOf} finds. */
  readonly provider?: string | undefined;
  /** Default: the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** 0 to 1. Default: the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

/** A client method that sends a request to a model. */
export interface ModelMethod {
  /** Where the method is on the client: `["chat", "completions"]`. */
  readonly path: readonly string[];
  readonly method: string;
  readonly operation: ModelOperation;
  /** True if clients of other vendors have this method too. Default: the method identifies a client of the library. */
  readonly isAmbiguous?: boolean;
  /** True for a method that always streams. Default: streams if the request says so (`stream: true`). */
  readonly isStream?: boolean;
  /** Finds the request in the arguments. Default: the first argument. */
  readonly requestOf?: (args: readonly unknown[]) => unknown;
  /** False for a call that does not call the model. Default: every call does. */
  readonly isModelCall?: (args: readonly unknown[]) => boolean;
  /**
   * For calls that do not call the model: true if their response completes an earlier call, and is recorded as a span of its
   * own.
   */
  readonly completesEarlierCall?: (response: unknown) => boolean;
  /** Prepares a streaming request. Default: the request is sent unchanged. */
  readonly prepareStream?: (client: object, request: unknown) => PreparedStream;
}

/** How a streaming request is sent and followed. */
export interface PreparedStream {
  /** The request to send instead of the app's. */
  readonly request?: unknown;
  readonly settings: StreamSettings;
}

/** What the wrapper has to know of a client library. */
export interface ClientLibrary {
  /** The function that wraps the client, for warnings: `wrapOpenAI`. */
  readonly wrapper: string;
  /** What the function expects, for warnings: `a client such as new OpenAI()`. */
  readonly expectedClient: string;
  readonly methods: readonly ModelMethod[];
  /** The provider that a client talks to, as the label `provider` shows it. */
  readonly providerOf: (client: object) => string;
  /** Attributes of an error, in addition to its class and message. */
  readonly describeError: (error: unknown) => ReadAttributes;
  /** True if the app cancelled the call. */
  readonly isUserAbort: (error: unknown) => boolean;
  /** The response header with the provider's id of the request. */
  readonly requestIdHeader: string;
}
