import {
  currentContext,
  isRecording,
  tapAsyncIterator,
  warnOnce,
  type RecordedSpan,
} from "../../capture/integration.js";
import { member } from "../json-fields.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import { startRunSpan } from "../run-spans/run-span.js";
import { childEnvironment, continuesSession, prepareQuery } from "./prepare-query.js";
import { QueryRecorder } from "./query-recorder.js";

/** How queries are recorded. */
export interface WrapQueryOptions {
  /** Name of the agent. Default: `claude`. */
  readonly name?: string | undefined;
  /**
   * Whether the process of Claude Code sends its own telemetry to the collector (`OTEL_*` variables, unless the app sets some).
   * Its spans then have the model calls and tools, and the wrapper records the agent and its turns alone, so that nothing is
   * counted twice. Set it also if the app's own variables send that telemetry to the same collector.
   *
   * Default: false. The wrapper records model calls and tools from the messages.
   */
  readonly childTelemetry?: boolean | undefined;
}

/** The `query` function of the Agent SDK. */
type Query = (params: never) => AsyncGenerator<unknown, unknown>;

/** Ends the spans of queries that nobody can read any more. */
const unreachableQueries = new FinalizationRegistry<QueryRecorder>((recorder) =>
  recorder.end(undefined, true),
);

/**
 * Records the queries of the Claude Agent SDK as spans: the agent, a turn for each prompt, its model calls with tokens and
 * cost, its tools, and those of its sub-agents. The query keeps all its methods. The process of Claude Code gets
 * `TRACEPARENT`, so that what it starts joins the trace.
 *
 * @param query - the `query` function of `@anthropic-ai/claude-agent-sdk`.
 * @returns a function of the same type.
 *
 * @example
 * ```ts
 * import { query as claudeQuery } from "@anthropic-ai/claude-agent-sdk";
 *
 * const query = wrapQuery(claudeQuery);
 * for await (const message of query({ prompt: "Fix the tests" })) console.log(message.type);
 * ```
 */
export function wrapQuery<Q extends Query>(query: Q, options: WrapQueryOptions = {}): Q {
  if (typeof query !== "function") {
    warnOnce(
      "wrapQuery",
      "wrapQuery() needs the query function of the Claude Agent SDK: nothing is recorded.",
    );
    return query;
  }
  const original = query as unknown as (params: unknown) => AsyncGenerator<unknown, unknown>;
  const wrapped = (params: unknown): AsyncGenerator<unknown, unknown> => {
    const agent = isRecording()
      ? ignoringErrors(() =>
          startRunSpan({ parent: currentContext(), spanType: "agent", name: options.name || "claude" }),
        )
      : undefined;
    return agent === undefined ? original(params) : record(original, params, agent, options);
  };
  return Object.defineProperty(wrapped, "name", { value: query.name }) as unknown as Q;
}

function record(
  query: (params: unknown) => AsyncGenerator<unknown, unknown>,
  params: unknown,
  agent: RecordedSpan,
  { childTelemetry = false }: WrapQueryOptions,
): AsyncGenerator<unknown, unknown> {
  const recorder = new QueryRecorder(agent, {
    recordsCalls: !childTelemetry,
    continuesSession: continuesSession(params),
  });
  const prepared = ignoringErrors(() =>
    prepareQuery(params, recorder, childEnvironment(params, agent, childTelemetry)),
  );
  let running: AsyncGenerator<unknown, unknown>;
  try {
    running = agent.run(() => query(prepared ?? params));
  } catch (error) {
    recorder.end({ error }, false);
    throw error;
  }
  try {
    unreachableQueries.register(running, recorder);
    return followQuery(running, recorder, agent);
  } catch {
    // What a mock returns may be no query, and a frozen one cannot be followed.
    recorder.end(undefined, false);
    return running;
  }
}

/** The members of a query that end it, besides those of a generator. */
const CLOSING = ["close", Symbol.asyncDispose] as const;

function followQuery(
  query: AsyncGenerator<unknown, unknown>,
  recorder: QueryRecorder,
  agent: RecordedSpan,
): AsyncGenerator<unknown, unknown> {
  const source = {
    next: query.next.bind(query),
    return: query.return.bind(query),
    throw: query.throw.bind(query),
  };
  const tapped = tapAsyncIterator<unknown>(
    source,
    {
      onChunk(message) {
        recorder.addMessage(message);
        return undefined;
      },
      onEnd: (end) => recorder.end(end.type === "failed" ? end : undefined, end.type === "aborted"),
    },
    (step) => agent.run(step),
  );
  const members: Record<PropertyKey, unknown> = {
    next: tapped.next.bind(tapped),
    return: tapped.return?.bind(tapped),
    throw: tapped.throw?.bind(tapped),
  };
  for (const name of CLOSING) {
    const close = member(query, name as never);
    if (typeof close !== "function") continue;
    members[name] = (...args: unknown[]): unknown => {
      const result: unknown = Reflect.apply(close, query, args);
      recorder.end(undefined, true);
      return result;
    };
  }
  members[Symbol.asyncIterator] = () => query;
  for (const name of Reflect.ownKeys(members))
    Object.defineProperty(query, name, { value: members[name], configurable: true, writable: true });
  return query;
}
