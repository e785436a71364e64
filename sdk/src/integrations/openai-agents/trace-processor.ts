import { isRecording, newTrace, type ContextNode, type RecordedSpan } from "../../capture/integration.js";
import { followRequestText } from "../fetch/follow-request-text.js";
import { prepareFetch } from "../fetch/observe-requests.js";
import { countOf, field, member, textOf } from "../json-fields.js";
import { OpenRuns } from "../run-spans/open-runs.js";
import { recordSafely, startRunSpan } from "../run-spans/run-span.js";
import { followAgentsContext, outsideContext } from "./agents-context.js";
import { attributesOf, identityOf, turnTokens } from "./span-data.js";

/** A span of the Agents SDK that has started and not ended. */
interface Run {
  readonly parent: Run | undefined;
  readonly span: RecordedSpan;
  readonly type: string;
  /** True once a span inside it has failed. */
  hasFailedInside: boolean;
  /** Model calls inside a turn that reported no tokens, with the time of their end. */
  readonly withoutTokens: { readonly span: RecordedSpan; readonly endMs: number }[];
}

/** A trace of the Agents SDK that has started and not ended. */
interface TraceRun {
  readonly node: ContextNode;
  readonly sessionId: string | undefined;
}

/**
 * Records the runs of the OpenAI Agents SDK as spans: agents, turns, model calls, tools, hand-offs, guardrails and the tools of
 * MCP servers. Code in tools is part of the same trace. Where the client of the model is wrapped with `wrapOpenAI` as well,
 * each model call is recorded once, here.
 *
 * @example
 * ```ts
 * import { addTraceProcessor } from "@openai/agents";
 *
 * addTraceProcessor(new ObspanTraceProcessor());
 * ```
 */
export class ObspanTraceProcessor {
  readonly #runs = new OpenRuns<Run>(({ span }) => abort(span));
  readonly #traces = new OpenRuns<TraceRun>(() => undefined);

  constructor() {
    prepareFetch();
    followAgentsContext({
      ofSpan: (span) => this.#start(span)?.span,
      ofTrace: (trace, outside) => this.#traceOf(trace, outside)?.node,
    });
  }

  async onTraceStart(trace: object): Promise<void> {
    recordSafely(() => this.#traceOf(trace, outsideContext()));
  }

  async onTraceEnd(trace: object): Promise<void> {
    recordSafely(() => this.#traces.take(textOf(member(trace, "traceId")) ?? ""));
  }

  async onSpanStart(span: object): Promise<void> {
    recordSafely(() => this.#start(span));
  }

  async onSpanEnd(span: object): Promise<void> {
    recordSafely(() => this.#end(span));
  }

  /** Does nothing: the app decides with `shutdown()` of the SDK. */
  async shutdown(): Promise<void> {}

  /** Does nothing: spans are sent in the background, and by `flush()` of the SDK. */
  async forceFlush(): Promise<void> {}

  #traceOf(trace: unknown, outside: ContextNode | undefined): TraceRun | undefined {
    const id = textOf(member(trace, "traceId"));
    if (id === undefined || id === "no-op" || !isRecording()) return undefined;
    const known = this.#traces.get(id);
    if (known !== undefined) return known;
    const node = outside ?? { trace: newTrace(), spanId: "", span: undefined };
    const started: TraceRun = { node, sessionId: textOf(member(trace, "groupId")) };
    this.#traces.add(id, started);
    return started;
  }

  /** Starts the span of a span of the Agents SDK, unless it has started before. */
  #start(source: unknown): Run | undefined {
    const id = textOf(member(source, "spanId"));
    const known = this.#runs.get(id);
    if (known !== undefined || id === undefined || id === "no-op" || !isRecording()) return known;
    // The context of the code can be asked for before the span has started, and after it has ended.
    if (member(source, "startedAt") === null || member(source, "endedAt") !== null) return undefined;
    const parent = this.#parentOf(source);
    const trace = this.#traceOf(source, outsideContext());
    const data = member(source, "spanData");
    const span = startRunSpan({
      ...identityOf(data),
      parent: parent?.span ?? trace?.node,
      attributes: trace?.sessionId === undefined ? undefined : { session_id: trace.sessionId },
    });
    if (span === undefined) return undefined;
    if (span.spanType === "llm") {
      Object.assign(span, { ownsModelCall: true });
      // Set before the request, unless the app excludes sensitive data.
      followRequestText(span, () => (field(data, "_input") ?? field(data, "input")) !== undefined);
    }
    const type = textOf(field(data, "type")) ?? "";
    const run: Run = { parent, span, type, hasFailedInside: false, withoutTokens: [] };
    this.#runs.add(id, run);
    return run;
  }

  #parentOf(source: unknown): Run | undefined {
    const id = textOf(member(source, "parentId"));
    const known = this.#runs.get(id);
    if (known !== undefined || id === undefined) return known;
    // Another processor delays the calls of this one.
    const previous = member(source, "previousSpan");
    return member(previous, "spanId") === id ? this.#start(previous) : undefined;
  }

  #end(source: unknown): void {
    const run = this.#start(source) ?? this.#runs.get(textOf(member(source, "spanId")));
    this.#runs.take(textOf(member(source, "spanId")) ?? "");
    if (run === undefined) return;
    const { span } = run;
    const data = member(source, "spanData");
    recordSafely(() => {
      const attributes = attributesOf(data);
      span.setAttributes(attributes);
      span.name = identityOf(data).name;
      if (span.spanType === "llm")
        describeParents(run.parent, attributes.prompt_text, attributes.completion_text);
      recordFailure(run, member(source, "error") ?? undefined);
    });
    for (const { span: call, endMs } of run.withoutTokens) {
      recordSafely(() => {
        if (run.withoutTokens.length === 1) call.setAttributes(turnTokens(data));
      });
      call.endAt(endMs);
    }
    const isTokenless =
      span.spanType === "llm" && countOf(field(span.attributes, "tokens_input")) === undefined;
    const turn = isTokenless ? turnOf(run) : undefined;
    // Without sensitive data only the turn reports tokens.
    if (turn === undefined) span.end();
    else turn.withoutTokens.push({ span, endMs: performance.now() });
  }
}

/** The first prompt and the last answer of a run, which the Agents SDK reports only for model calls. */
function describeParents(run: Run | undefined, prompt: unknown, answer: unknown): void {
  for (let outer = run; outer !== undefined; outer = outer.parent) {
    if (outer.type === "function") return;
    if (prompt !== undefined) outer.span.putDefault("input_text", prompt);
    if (answer !== undefined) outer.span.put("output_text", answer);
  }
}

function turnOf(run: Run): Run | undefined {
  const { parent } = run;
  return parent === undefined || parent.type === "turn" ? parent : turnOf(parent);
}

/** The Agents SDK reports the message of an error, and its class only as the start of a text. */
function recordFailure(run: Run, error: unknown): void {
  const { span } = run;
  if (error === undefined && field(span.attributes, "error_type") === undefined) return;
  const details = textOf(field(field(error, "data"), "error")) ?? textOf(field(error, "message"));
  const [, className, message] = /^(\w*(?:Error|Exception)): (.*)$/s.exec(details ?? "") ?? [];
  span.setStatus("ERROR");
  span.putDefault("error_type", className ?? "Error");
  span.putDefault("error_message", message ?? details);
  span.errorPropagated = run.hasFailedInside;
  for (let outer = run.parent; outer !== undefined; outer = outer.parent) outer.hasFailedInside = true;
}

function abort(span: RecordedSpan): void {
  span.setAttribute("aborted", true).end();
}
