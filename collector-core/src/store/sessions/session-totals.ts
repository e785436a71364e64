import { FEEDBACK_TYPE } from "../../api-schema/evaluation-types.js";
import { MAX_TURNS } from "../../api-schema/sessions.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import type { ScoreRange, SessionKey, SessionScore, StoredSession } from "../../interfaces.js";
import { finiteSum } from "../../span/finite-sum.js";
import { addMs, compareInstants, formatInstant, parseTimestamp, type Instant } from "../../span/timestamp.js";
import { costSourceOf } from "../traces/cost-source.js";
import { DistinctValues } from "../traces/distinct-values.js";
import { MAX_LISTED, MAX_LISTED_CHARACTERS } from "../traces/trace-totals.js";

const EPOCH: Instant = { epochMs: 0, nanos: 0 };
/** A thumb up is a score of 1, a thumb down one of 0. */
export const UP_FROM = 0.5;

/** Adds up the figures of a session (contract 9), which are the same in every store. */
export class SessionTotals {
  #traces = 0;
  #userId: string | null = null;
  #firstInput: string | null = null;
  #start = EPOCH;
  #last = EPOCH;
  #lastTrace: TraceSummary | undefined;
  readonly #agents = new DistinctValues(MAX_LISTED, MAX_LISTED_CHARACTERS);
  readonly #models = new DistinctValues(MAX_LISTED, MAX_LISTED_CHARACTERS);
  #activeMs = 0;
  #tokensInput = 0;
  #tokensOutput = 0;
  #costUsd = 0;
  #hasComputedCost = false;
  #errors = 0;
  #up = 0;
  #down = 0;
  #isRunning = false;
  readonly #scores = new Map<string, ScoreRange>();
  readonly #turns: StoredSession["turns"] = [];

  get traces(): number {
    return this.#traces;
  }

  /** Adds a trace. They come in order of start, ties in order of arrival. */
  add(trace: TraceSummary): void {
    const start = parseTimestamp(trace.start_time) ?? EPOCH;
    const end = addMs(start, trace.duration_ms);
    if (this.#traces === 0) this.#start = start;
    if (this.#traces === 0 || compareInstants(end, this.#last) > 0) this.#last = end;
    this.#traces++;
    this.#lastTrace = trace;
    this.#userId ??= trace.user_id;
    this.#firstInput ??= trace.input_preview;
    this.#agents.add(trace.agent ?? "");
    for (const model of trace.models) this.#models.add(model);
    this.#activeMs = finiteSum(this.#activeMs, trace.duration_ms);
    this.#tokensInput = finiteSum(this.#tokensInput, trace.tokens_input);
    this.#tokensOutput = finiteSum(this.#tokensOutput, trace.tokens_output);
    this.#costUsd = finiteSum(this.#costUsd, trace.cost_usd);
    if (trace.cost_source === "computed") this.#hasComputedCost = true;
    this.#errors += trace.error_count;
    if (trace.running) this.#isRunning = true;
    for (const score of trace.scores) this.#addScore(trace.trace_id, score);
    this.#turns.push({ trace_id: trace.trace_id, duration_ms: trace.duration_ms, status: trace.status });
    if (this.#turns.length > MAX_TURNS) this.#turns.shift();
  }

  /** An independent copy, to which further traces are added. */
  copy(): SessionTotals {
    const copy = new SessionTotals();
    copy.#traces = this.#traces;
    copy.#userId = this.#userId;
    copy.#firstInput = this.#firstInput;
    copy.#start = this.#start;
    copy.#last = this.#last;
    copy.#lastTrace = this.#lastTrace;
    for (const agent of this.#agents.toArray()) copy.#agents.add(agent);
    for (const model of this.#models.toArray()) copy.#models.add(model);
    copy.#activeMs = this.#activeMs;
    copy.#tokensInput = this.#tokensInput;
    copy.#tokensOutput = this.#tokensOutput;
    copy.#costUsd = this.#costUsd;
    copy.#hasComputedCost = this.#hasComputedCost;
    copy.#errors = this.#errors;
    copy.#up = this.#up;
    copy.#down = this.#down;
    copy.#isRunning = this.#isRunning;
    for (const [type, range] of this.#scores) copy.#scores.set(type, range);
    for (const turn of this.#turns) copy.#turns.push(turn);
    return copy;
  }

  /** True if a trace was running when it was added: that may change as time passes. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  #addScore(traceId: string, { type, score, label }: TraceSummary["scores"][number]): void {
    if (type === FEEDBACK_TYPE) {
      if (score >= UP_FROM) this.#up++;
      else this.#down++;
      return;
    }
    const given: SessionScore = { traceId, score, label };
    const known = this.#scores.get(type);
    if (known === undefined) {
      if (this.#scores.size < MAX_LISTED) this.#scores.set(type, { type, lowest: given, highest: given });
      return;
    }
    if (score < known.lowest.score) this.#scores.set(type, { ...known, lowest: given });
    else if (score > known.highest.score) this.#scores.set(type, { ...known, highest: given });
  }

  /** The session of all traces that were added. */
  toSession({ tenant, sessionId }: SessionKey): StoredSession {
    const last = this.#lastTrace;
    return {
      session_id: sessionId,
      tenant,
      user_id: this.#userId,
      first_input_preview: this.#firstInput,
      last_output_preview: last?.output_preview ?? null,
      last_error_type: last?.status === "ERROR" ? last.error_type : null,
      traces: this.#traces,
      agents: this.#agents.toArray(),
      models: this.#models.toArray(),
      start_time: formatInstant(this.#start),
      last_time: formatInstant(this.#last),
      active_ms: this.#activeMs,
      tokens_input: this.#tokensInput,
      tokens_output: this.#tokensOutput,
      cost_usd: this.#costUsd,
      cost_source: costSourceOf(this.#costUsd, this.#hasComputedCost),
      errors: this.#errors,
      feedback: { up: this.#up, down: this.#down },
      running: this.#isRunning,
      turns: [...this.#turns],
      scoreRanges: [...this.#scores.values()],
    };
  }
}
