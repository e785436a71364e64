import { setTimeout as wait } from "node:timers/promises";
import { evaluationTypeName, type EvaluationOutcome } from "../api-schema/evaluation-types.js";
import { describeError, errorMessage } from "../runtime/describe-error.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { ArrivedTrace, SharedClaims, SpanSink } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { LONGEST_TIMER_MS } from "../runtime/longest-timer.js";
import { nextTurn } from "../runtime/loop-turn.js";
import type { BatchContext } from "../span/span-facts.js";
import { valueSize } from "../span/value-size.js";
import { createClaimEnds, type ClaimEndsOptions } from "./claim-ends.js";
import { hasAnswer, readEvaluatedText } from "./evaluated-text.js";
import { EvaluationQueue } from "./evaluation-queue.js";
import { isSampledForEvaluation, readEvaluationRequest } from "./evaluation-request.js";
import type { EvaluationEnd, EvaluationResult, EvaluationSubject } from "./evaluation-result.js";
import type { EvaluationType } from "./evaluation-type.js";
import type { Judge, JudgeUsage } from "./judges/judge.js";
import type { TypeRegistry } from "./types/type-registry.js";

/** Counters of the evaluator (contract 4, the ledger). */
export interface EvaluationCounters {
  offered(evaluations: number): void;
  /** Takes back an offered evaluation, which another collector has made. */
  repeated(): void;
  /** Counts finished evaluations; one by default. `typeName` is the part of the type before the colon. */
  ended(outcome: EvaluationOutcome, typeName: string, context: BatchContext, evaluations?: number): void;
}

/** Options of {@link createEvaluator}. */
export interface EvaluatorOptions {
  readonly types: Pick<TypeRegistry, "find">;
  readonly judge: Judge;
  /** `evaluation.queue_size`. */
  readonly queueSize: number;
  /** Bounds the bytes of all queued evaluations. */
  readonly budget: ByteAccount;
  /** Claims on the evaluations of received spans, which another collector may be given too; undefined if none is. */
  readonly claims?: SharedClaims | undefined;
  /** When the results of claimed evaluations are saved. Default: when they are delivered. */
  readonly saving?: Pick<ClaimEndsOptions, "save" | "everyMs"> | undefined;
  /** `evaluation.drop_policy`. */
  readonly dropPolicy: "drop_new" | "drop_oldest";
  /** `evaluation.worker_concurrency`. */
  readonly concurrency: number;
  /** `evaluation.default_sample_rate`. */
  readonly defaultSampleRate: number;
  /** `evaluation.default_timeout_ms`. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** 0 to 1, exclusive of 1. */
  readonly random: () => number;
  readonly counters: EvaluationCounters;
  /** Receives every result. Dropped evaluations have none. Rejects if the result is not kept. */
  readonly deliver: (result: EvaluationResult) => Promise<void>;
  readonly log: { warning(message: string, context?: { readonly error: string }): void };
}

/**
 * Evaluates spans asynchronously: queues the requested evaluations and runs a limited number concurrently. The spec's
 * "worker threads" are concurrent tasks here, because they only wait for the network.
 */
export interface Evaluator extends SpanSink {
  /** Number of queued evaluations. */
  readonly waiting: number;
  /** Number of queued and running evaluations. */
  readonly pending: number;
  /**
   * Evaluates a stored span, regardless of trace and evaluation sampling. @returns how many were enqueued and
   * dropped.
   */
  run(subject: EvaluationSubject, types: readonly string[]): { enqueued: number; dropped: number };
  /** Cancels the evaluations of deleted traces. */
  cancel(isDeleted: (trace: ArrivedTrace) => boolean): void;
  /**
   * Accepts no more evaluations. With `drain` it evaluates the queue until the deadline (monotonic). Cancels the
   * evaluations that are still running at the deadline, and counts them as dropped. Safe to call twice.
   */
  stop(deadlineMs: number, drain: boolean): Promise<void>;
}

interface Task {
  readonly subject: EvaluationSubject;
  readonly type: string;
  readonly bytes: number;
  /** Claims that hold for it; undefined if it is made whoever has made it before. */
  readonly claims: SharedClaims | undefined;
}

/** V8 uses two bytes per character for a text with any character beyond Latin-1. */
const BYTES_PER_CHARACTER = 2;
/** How much longer than an evaluation its claim holds. Delivering the result takes a while. */
const CLAIM_MARGIN_MS = 10_000;
const SAVED_AT_ONCE = { save: () => Promise.resolve(), everyMs: 0 };
/** Estimated bytes of a task without its texts. */
const BYTES_PER_TASK = 512;

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { types, judge, clock, timeoutMs, counters } = options;
  const queue = new EvaluationQueue<Task>({
    capacity: options.queueSize,
    budget: options.budget,
    dropPolicy: options.dropPolicy,
  });
  const running = new Map<Task, AbortController>();
  const { saving = SAVED_AT_ONCE } = options;
  const claimEnds = options.claims && createClaimEnds({ claims: options.claims, ...saving });
  const episode = createEpisodeLog(options.log, clock);
  let accepts = true;
  let stopping: Promise<void> | undefined;
  /** Called when the last evaluation has finished; set by `stop`. */
  let onIdle: (() => void) | undefined;

  function settle(outcome: EvaluationOutcome, { type, subject }: Task): void {
    counters.ended(outcome, evaluationTypeName(type), subject.context);
  }

  function enqueue(subject: EvaluationSubject, requested: readonly string[], claims?: SharedClaims): number {
    // All types of a request share one copy of the text.
    const subjectBytes = (valueSize(subject.text) * BYTES_PER_CHARACTER) / Math.max(1, requested.length);
    let lost = 0;
    counters.offered(requested.length);
    for (const type of requested) {
      const bytes = Math.ceil(subjectBytes + type.length * BYTES_PER_CHARACTER) + BYTES_PER_TASK;
      const task: Task = { subject, type, bytes, claims };
      const dropped = accepts ? queue.offer(task) : [task];
      for (const each of dropped) settle("dropped", each);
      if (dropped.includes(task)) lost++;
      if (dropped.length > 0) episode.dropped(dropped.length);
    }
    startQueued();
    return lost;
  }

  /** Starts queued evaluations up to the concurrency limit. */
  function startQueued(): void {
    while (running.size < options.concurrency) {
      const task = queue.take();
      if (task === undefined) break;
      void evaluate(task);
    }
    if (running.size === 0) onIdle?.();
  }

  async function evaluate(task: Task): Promise<void> {
    const cancellation = new AbortController();
    running.set(task, cancellation);
    try {
      // Yields to the event loop: a computed type never waits for I/O.
      await nextTurn();
      if (task.claims !== undefined && !(await claim(task, task.claims, cancellation.signal))) return;
      const result = await evaluateTask(task, cancellation.signal);
      if (cancellation.signal.aborted) {
        settle("dropped", task);
        void task.claims?.end(claimOf(task), false);
        return;
      }
      const notKept = await deliver(result);
      const end = result.end.outcome === "completed" ? (notKept ?? result.end) : result.end;
      settle(end.outcome, task);
      episode.ended(end);
      if (notKept === undefined) {
        if (task.claims !== undefined) claimEnds?.add(claimOf(task));
      } else void task.claims?.end(claimOf(task), false);
    } catch (error) {
      options.log.warning(`An evaluation failed unexpectedly: ${errorMessage(error)}`, {
        error: describeError(error),
      });
    } finally {
      running.delete(task);
      startQueued();
    }
  }

  /** Delivers a result. Resolves with the end of an evaluation whose score is not kept; undefined if it is. */
  async function deliver(result: EvaluationResult): Promise<EvaluationEnd | undefined> {
    try {
      await options.deliver(result);
      return undefined;
    } catch (error) {
      const reason = `Its score was not kept: ${errorMessage(error)}`;
      return { outcome: "error", reason, errorType: "NotKept" };
    }
  }

  /** False if the evaluation is not to be made here: another collector has made it, or it is cancelled. */
  async function claim(task: Task, claims: SharedClaims, signal: AbortSignal): Promise<boolean> {
    try {
      if (await claims.claim(claimOf(task), timeoutMs + CLAIM_MARGIN_MS, signal)) return true;
      counters.repeated();
    } catch (error) {
      if (!signal.aborted) throw error;
      settle("dropped", task);
    }
    return false;
  }

  async function evaluateTask(
    { subject, type: id }: Task,
    cancelSignal: AbortSignal,
  ): Promise<EvaluationResult> {
    const startedAtMs = clock.now();
    const startMs = clock.monotonic();
    const type = types.find(id);
    const usesJudge = typeof type !== "string" && type.kind === "judged" && hasAnswer(subject.text);
    const { end, usage } = await runType(type, subject, cancelSignal);
    return {
      subject,
      type: id,
      direction: typeof type === "string" ? "neutral" : type.direction,
      end,
      judge: usesJudge ? { provider: judge.provider, model: judge.model } : undefined,
      usage,
      startedAtMs,
      durationMs: clock.monotonic() - startMs,
    };
  }

  async function runType(
    type: EvaluationType | string,
    subject: EvaluationSubject,
    cancelSignal: AbortSignal,
  ): Promise<{ end: EvaluationEnd; usage: JudgeUsage | undefined }> {
    if (typeof type === "string") return failed(`Not evaluated: ${type}.`, "InvalidEvaluationType");
    if (!hasAnswer(subject.text))
      return failed(
        "Not evaluated: the span has no completion. Check whether captureCompletion is off.",
        "NoCompletion",
      );
    try {
      if (type.kind === "computed") {
        const verdict = await type.compute(subject.text);
        return typeof verdict === "string"
          ? failed(`Not evaluated: ${verdict}.`, "InvalidEvaluationType")
          : { end: { outcome: "completed", verdict }, usage: undefined };
      }
      return await queryJudge(type, subject, cancelSignal);
    } catch (error) {
      const message = errorMessage(error);
      return failed(`The evaluation failed: ${message}`, "EvaluationError");
    }
  }

  async function queryJudge(
    type: Extract<EvaluationType, { kind: "judged" }>,
    { text }: EvaluationSubject,
    cancelSignal: AbortSignal,
  ): Promise<{ end: EvaluationEnd; usage: JudgeUsage | undefined }> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const signal = AbortSignal.any([cancelSignal, timeout.signal]);
    try {
      // The race ends the wait even if the provider's client ignores the signal.
      const answer = await Promise.race([judge.score(type, text, signal), aborted(signal)]);
      const { usage } = answer;
      switch (answer.type) {
        case "completed":
          return { end: { outcome: "completed", verdict: answer.verdict }, usage };
        case "malformed":
          return {
            end: { outcome: "malformed", reason: answer.reason, errorType: "MalformedAnswer" },
            usage,
          };
        case "error":
          return { end: { outcome: "error", reason: answer.reason, errorType: answer.errorType }, usage };
      }
    } catch (error) {
      if (!timeout.signal.aborted) throw error;
      const reason = `The judge did not answer within ${timeoutMs} ms.`;
      return { end: { outcome: "timeout", reason, errorType: "TimeoutError" }, usage: undefined };
    } finally {
      clearTimeout(timer);
    }
  }

  async function stop(deadlineMs: number, drain: boolean): Promise<void> {
    accepts = false;
    if (!drain) dropWaiting();
    const untilDeadline = async (work: Promise<void>): Promise<void> => {
      const remainingMs = Math.max(0, deadlineMs - clock.monotonic());
      await Promise.race([work, wait(Math.min(remainingMs, LONGEST_TIMER_MS), undefined, { ref: false })]);
    };
    if (running.size > 0 || queue.size > 0) {
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
      });
      await untilDeadline(idle);
      dropWaiting();
      for (const controller of running.values()) controller.abort();
      await idle;
    }
    if (claimEnds !== undefined) await untilDeadline(claimEnds.stop());
  }

  function dropWaiting(): void {
    for (const task of queue.remove(() => true)) settle("dropped", task);
  }

  return {
    name: "evaluation",
    get waiting() {
      return queue.size;
    },
    get pending() {
      return queue.size + running.size;
    },
    offer(spans) {
      for (const span of spans) {
        const request = readEvaluationRequest(span);
        if (request === undefined) continue;
        if (!isSampledForEvaluation(request, options.defaultSampleRate, options.random())) continue;
        const subject = subjectOf(span);
        // A failed call without an answer has nothing to evaluate.
        if (span.facts.status === "ERROR" && !hasAnswer(subject.text)) continue;
        if (request.excess > 0) {
          counters.offered(request.excess);
          counters.ended("dropped", EXCESS_TYPE, subject.context, request.excess);
        }
        enqueue(subject, request.types, options.claims);
      }
    },
    run(subject, requested) {
      const dropped = enqueue(subject, requested);
      return { enqueued: requested.length - dropped, dropped };
    },
    cancel(isDeleted) {
      const isCancelled = ({ subject: { context, traceId } }: Task): boolean =>
        isDeleted({ tenant: context.tenant, traceId, receivedAtMs: context.receivedAtMs });
      for (const task of queue.remove(isCancelled)) settle("dropped", task);
      for (const [task, controller] of running) if (isCancelled(task)) controller.abort();
    },
    stop: (deadlineMs, drain) => (stopping ??= stop(deadlineMs, drain)),
  };
}

function claimOf({ subject: { context, traceId, spanId }, type }: Task): readonly string[] {
  return [context.tenant, traceId, spanId, type];
}

/** Types beyond the limit per span are counted under this type. */
const EXCESS_TYPE = "excess";

function subjectOf({ context, span, facts }: PipelineSpan): EvaluationSubject {
  const { traceId, spanId, model, agent } = facts;
  return { context, traceId, spanId, model, agent, text: readEvaluatedText(span.attributes) };
}

function failed(reason: string, errorType: string): { end: EvaluationEnd; usage: undefined } {
  return { end: { outcome: "error", reason, errorType }, usage: undefined };
}

/** Rejects when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Minimum time between two warnings of the same kind. */
const WARNING_INTERVAL_MS = 60_000;

/** Logs failures and drops at most once per interval, with their number. */
function createEpisodeLog(log: EvaluatorOptions["log"], clock: Pick<Clock, "monotonic">) {
  const failures = { count: 0, warnedAtMs: -Infinity };
  const drops = { count: 0, warnedAtMs: -Infinity };
  const warn = (episode: typeof failures, amount: number, message: (count: number) => string): void => {
    episode.count += amount;
    if (clock.monotonic() - episode.warnedAtMs < WARNING_INTERVAL_MS) return;
    log.warning(message(episode.count));
    episode.count = 0;
    episode.warnedAtMs = clock.monotonic();
  };
  return {
    dropped: (evaluations: number): void =>
      warn(drops, evaluations, (count) => `The evaluation queue is full; ${count} evaluations were dropped.`),
    ended(end: EvaluationEnd): void {
      if (end.outcome === "completed") return;
      warn(failures, 1, (count) => `Evaluation failed (${count} so far). ${end.reason}`);
    },
  };
}
