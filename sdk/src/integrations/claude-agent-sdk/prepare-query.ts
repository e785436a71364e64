import { tapAsyncIterator, type RecordedSpan } from "../../capture/integration.js";
import { elementsOf, field, fieldsOf, member, textOf } from "../json-fields.js";
import { recordSafely } from "../run-spans/run-span.js";
import type { QueryRecorder } from "./query-recorder.js";

/** A hook of the Agent SDK that reports nothing. */
type Hook = (input: unknown, toolUseId: string | undefined) => Promise<Record<string, never>>;

/** The parameters of a query, with what records it. The app's own objects are not changed. */
export function prepareQuery(params: unknown, recorder: QueryRecorder, env: NodeJS.ProcessEnv): object {
  const options = copyOf(field(params, "options"));
  setData(options, "env", env);
  setData(options, "hooks", withHooks(field(options, "hooks"), recorder));
  const prepared = copyOf(params);
  setData(prepared, "options", options);
  const prompt = field(params, "prompt");
  if (typeof prompt === "string") recorder.addPrompt(prompt);
  else if (typeof member(prompt, Symbol.asyncIterator as never) === "function")
    setData(prepared, "prompt", followPrompt(prompt as AsyncIterable<unknown>, recorder));
  return prepared;
}

/** True for a query that continues an earlier session. */
export function continuesSession(params: unknown): boolean {
  const options = field(params, "options");
  return field(options, "resume") !== undefined || field(options, "continue") === true;
}

/**
 * The environment of the process of Claude Code. `TRACEPARENT` makes the spans of everything that it starts part of the
 * trace. What the app sets wins.
 */
export function childEnvironment(
  params: unknown,
  span: RecordedSpan,
  reportsItself: boolean,
): NodeJS.ProcessEnv {
  const given = fieldsOf(field(field(params, "options"), "env")) as NodeJS.ProcessEnv | undefined;
  // eslint-disable-next-line no-restricted-properties -- a query without `env` inherits the environment of the app
  const env: NodeJS.ProcessEnv = { ...(given ?? process.env) };
  if (given?.["TRACEPARENT"] === undefined)
    env["TRACEPARENT"] = `00-${span.traceId}-${span.spanId}-${span.trace.flags}`;
  const { pushUrl, apiKey } = span.runtime.config;
  const hasOwn = Object.keys(env).some(
    (name) => name.startsWith("OTEL_") && !name.startsWith("OTEL_RESOURCE"),
  );
  if (!reportsItself || hasOwn || pushUrl === undefined) return env;
  const { policy } = span.runtime;
  return {
    CLAUDE_CODE_ENABLE_TELEMETRY: "1",
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_ENDPOINT: pushUrl.replace(/\/v1\/telemetry\/?$/, ""),
    ...(apiKey !== undefined && { OTEL_EXPORTER_OTLP_HEADERS: `X-API-Key=${apiKey}` }),
    ...(policy.capturesPrompt && { OTEL_LOG_USER_PROMPTS: "1", OTEL_LOG_TOOL_DETAILS: "1" }),
    ...(policy.capturesCompletion && { OTEL_LOG_ASSISTANT_RESPONSES: "1", OTEL_LOG_TOOL_CONTENT: "1" }),
    ...env,
  };
}

/** The app's hooks, and ours after them. */
function withHooks(hooks: unknown, recorder: QueryRecorder): object {
  const merged = copyOf(hooks);
  const add = (event: string, isEnd: boolean): void => {
    const hook: Hook = async (input, toolUseId) => {
      recordSafely(() => {
        const id = textOf(toolUseId) ?? textOf(field(input, "tool_use_id"));
        if (id !== undefined) recorder.addToolTime(id, isEnd);
      });
      return {};
    };
    setData(merged, event, [...elementsOf(field(merged, event)), { hooks: [hook] }]);
  };
  add("PreToolUse", false);
  add("PostToolUse", true);
  add("PostToolUseFailure", true);
  return merged;
}

/** The prompt of a query with streamed input: its messages are recorded as they are sent. */
function followPrompt(prompt: AsyncIterable<unknown>, recorder: QueryRecorder): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]: () =>
      tapAsyncIterator(prompt[Symbol.asyncIterator](), {
        onChunk(message) {
          recorder.addPrompt(field(field(message, "message"), "content"));
          return undefined;
        },
        onEnd: () => undefined,
      }),
  };
}

/** A copy of an object that runs none of its getters. */
function copyOf(value: unknown): object {
  if (typeof value !== "object" || value === null) return {};
  return Object.create(
    Object.getPrototypeOf(value) as object | null,
    Object.getOwnPropertyDescriptors(value),
  ) as object;
}

function setData(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
