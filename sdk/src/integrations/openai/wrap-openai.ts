import { isRecording } from "../../capture/integration.js";
import { field, numberOf } from "../json-fields.js";
import { onAnswer, watchAnswer } from "./answer-watch.js";
import { noteResponseState } from "./background-responses.js";
import { chatCompletions } from "./chat-completions.js";
import { completions } from "./completions.js";
import { embeddings } from "./embeddings.js";
import type { Operation } from "./operation.js";
import { responses } from "./responses.js";
import { withTracedTools } from "./run-tools.js";
import { missingUsageHint, streamUsageOf, type StreamUsage } from "./stream-usage.js";
import type { StreamSettings } from "./stream-watch.js";
import { currentCall, TracedCall } from "./traced-call.js";

/** How the calls of a client are recorded. */
export interface WrapOpenAIOptions {
  /**
   * Who answers, as the label `provider` shows it.
   *
   * Default: read off the client's address (`openai`, `azure`, `groq`, `deepseek`, `mistral`, `openrouter`, `ollama`, …);
   * `openai` for an address that is not known.
   */
  readonly provider?: string | undefined;
  /**
   * Asks for the usage of streams where the app does not, by `stream_options.include_usage`, and hides the extra chunk
   * from the app. True asks every server, false none.
   *
   * Default: asks the servers that are known to take the field and to send no usage without it: OpenAI, Azure OpenAI,
   * Anthropic, Google, Moonshot, Alibaba, Ollama, and servers on the same machine. Any other may refuse a field that it
   * does not know, and is left alone.
   */
  readonly includeUsage?: boolean | undefined;
  /** Evaluation types for these calls, in place of the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** 0 to 1: which part of these calls is evaluated, in place of the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

/** A method that is traced: where it is on the client, and what it does. */
interface TracedMethod {
  readonly path: readonly string[];
  readonly method: string;
  readonly operation: Operation;
  /** Where the request is among the arguments. Default: the first. */
  readonly requestOf?: (args: readonly unknown[]) => unknown;
  /** True for a call that is no call of the model. */
  readonly skips?: (args: readonly unknown[]) => boolean;
  /** True where the answer of a skipped call is the end of one that was made before, and is told of as a span. */
  readonly isLateAnswer?: (answer: unknown) => boolean;
}

/**
 * The methods that send a request to a model. All that the client offers beside them, `chat.completions.parse`, `stream`
 * and `runTools`, `responses.parse` and `stream`, calls these: one span a request, and none twice.
 */
const METHODS: readonly TracedMethod[] = [
  { path: ["chat", "completions"], method: "create", operation: chatCompletions },
  { path: ["responses"], method: "create", operation: responses },
  { path: ["beta", "responses"], method: "create", operation: responses },
  { path: ["responses"], method: "compact", operation: { ...responses, name: "compact" } },
  { path: ["completions"], method: "create", operation: completions },
  { path: ["embeddings"], method: "create", operation: embeddings },
  ...[["responses"], ["beta", "responses"]].map((path) => ({
    path,
    method: "retrieve",
    operation: responses,
    // A background response that goes on as a stream; asking for one by its id is no call of the model.
    requestOf: ([, query]: readonly unknown[]) => query,
    skips: ([, query]: readonly unknown[]) => field(query, "stream") !== true,
    isLateAnswer: noteResponseState,
  })),
];

/** Marks what is traced already, also by another copy of this package in the same process. */
const TRACED = Symbol.for("obspan.openai.traced");

/**
 * Records every call of an OpenAI client as a span: chat completions, responses, legacy completions and embeddings, with
 * their streams, tools, tokens and errors. Calls behave as they did: same promises, same streams, same errors.
 *
 * The client itself is changed, and returned: what the app made of it before is traced too, and wrapping it twice does no
 * more than once. Clients made of it by `withOptions()` are traced with it. Works with every client of that shape
 * (`openai` 4 to 7, `AzureOpenAI`, `groq-sdk` and the like); nothing of them is imported.
 *
 * @param client - the client, for example `new OpenAI()`.
 * @returns the same client.
 *
 * @example
 * ```ts
 * const openai = wrapOpenAI(new OpenAI());
 * ```
 */
export function wrapOpenAI<Client extends object>(client: Client, options: WrapOpenAIOptions = {}): Client {
  for (const method of METHODS) {
    quietly(() => traceMethod(client, method, options));
  }
  quietly(() => traceRunTools(client));
  quietly(() => watchAttempts(client));
  quietly(() => watchRequests(client));
  quietly(() => wrapClones(client, options));
  return client;
}

function traceMethod(client: object, traced: TracedMethod, options: WrapOpenAIOptions): void {
  const resource = traced.path.reduce<unknown>((value, key) => field(value, key), client);
  replaceMethod(
    resource,
    traced.method,
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const begun = begin(client, traced, options, args);
        if (begun === undefined)
          return watchLateAnswer(Reflect.apply(original, this, args), client, traced, options);
        const { call, sent, settings } = begun;
        let returned: unknown;
        try {
          returned = call.run(() => Reflect.apply(original, this, sent));
        } catch (error) {
          call.fail(error);
          throw error;
        }
        return quietly(() => watchAnswer(returned, call, settings)) ?? returned;
      },
  );
}

/** A background response that is asked for until it is done becomes a span of its own then, with its tokens. */
function watchLateAnswer(
  returned: unknown,
  client: object,
  { operation, isLateAnswer }: TracedMethod,
  options: WrapOpenAIOptions,
): unknown {
  if (isLateAnswer === undefined) return returned;
  const watched = quietly(() =>
    onAnswer(returned, (answer) => {
      if (!isRecording() || !isLateAnswer(answer)) return;
      const request = { model: field(answer, "model") };
      new TracedCall({ client, operation, options }, request, false).succeed(() => answer);
    }),
  );
  return watched ?? returned;
}

/** The functions that `runTools()` calls become tool spans, beside the calls of the model. */
function traceRunTools(client: object): void {
  for (const path of [["chat"], ["beta", "chat"]]) {
    const resource = [...path, "completions"].reduce<unknown>((value, key) => field(value, key), client);
    replaceMethod(
      resource,
      "runTools",
      (original) =>
        function (this: unknown, ...args: unknown[]): unknown {
          const [request, ...rest] = args;
          const sent = quietly(() => (isRecording() ? withTracedTools(request) : request)) ?? request;
          return Reflect.apply(original, this, [sent, ...rest]);
        },
    );
  }
}

/** A call with its span started, and with the arguments that the client gets. */
interface BegunCall {
  readonly call: TracedCall;
  readonly sent: readonly unknown[];
  readonly settings: StreamSettings;
}

function begin(
  client: object,
  { operation, requestOf, skips }: TracedMethod,
  options: WrapOpenAIOptions,
  args: readonly unknown[],
): BegunCall | undefined {
  return quietly(() => {
    if (!isRecording() || skips?.(args) === true) return undefined;
    const request = requestOf === undefined ? args[0] : requestOf(args);
    const isStream = field(request, "stream") === true;
    const call = new TracedCall({ client, operation, options }, request, isStream);
    const usage =
      isStream && operation.usageOnRequest === true ? usageOfStream(client, options, request) : "not asked";
    const asking = usage === "asked" ? quietly(() => withUsage(request as object)) : undefined;
    return {
      call,
      sent: asking === undefined ? args : [asking, ...args.slice(1)],
      settings: {
        hideUsageChunk: asking !== undefined,
        ...(usage === "unknown" && { hintWithoutUsage: missingUsageHint(client) }),
      },
    };
  });
}

/** How the usage of a stream is come by; what the app says about it itself stands. */
function usageOfStream(client: object, { includeUsage }: WrapOpenAIOptions, request: unknown): StreamUsage {
  if (field(field(request, "stream_options"), "include_usage") !== undefined) return "not asked";
  if (includeUsage === undefined) return streamUsageOf(client);
  return includeUsage ? "asked" : "not asked";
}

/** A copy of the request that asks for the usage; the app's own stays as it is. */
function withUsage(request: object): object {
  const streamOptions = { ...(field(request, "stream_options") as object | undefined), include_usage: true };
  return Object.create(Object.getPrototypeOf(request) as object | null, {
    ...Object.getOwnPropertyDescriptors(request),
    stream_options: { value: streamOptions, enumerable: true, configurable: true, writable: true },
  }) as object;
}

/** The client tries again by itself; it builds each attempt anew and says which one it is. */
function watchAttempts(client: object): void {
  replaceMethod(
    client,
    "buildRequest",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        currentCall()?.noteAttempt(numberOf(field(args[1], "retryCount")) ?? 0);
        return Reflect.apply(original, this, args);
      },
  );
}

/** The response, or the error in its place, is told to the call when it is there, whether the app looks at it or not. */
function watchRequests(client: object): void {
  replaceMethod(
    client,
    "makeRequest",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const call = currentCall();
        const isFirst = call?.takesRequest() === true;
        const request = Reflect.apply(original, this, args);
        if (call === undefined || !isFirst || !(request instanceof Promise)) return request;
        return request.then(
          (made: unknown) => {
            quietly(() => call.noteResponse(field(made, "response")));
            return made;
          },
          (error: unknown) => {
            call.fail(error);
            throw error;
          },
        );
      },
  );
}

function wrapClones(client: object, options: WrapOpenAIOptions): void {
  replaceMethod(
    client,
    "withOptions",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const clone: unknown = Reflect.apply(original, this, args);
        return typeof clone === "object" && clone !== null ? wrapOpenAI(clone, options) : clone;
      },
  );
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Puts a method over the one of the object's class, once. */
function replaceMethod(target: unknown, name: string, replace: (original: Method) => Method): void {
  const original = field(target, name);
  if (typeof target !== "object" || typeof original !== "function" || TRACED in original) return;
  const replacement = Object.defineProperties(replace(original as Method), {
    name: { value: name },
    length: { value: original.length },
    [TRACED]: { value: true },
  });
  Object.defineProperty(target, name, {
    value: replacement,
    configurable: true,
    writable: true,
    enumerable: false,
  });
}

/** Runs what must not disturb the app; undefined where it threw. */
function quietly<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
