import { setTimeout as wait } from "node:timers/promises";
import { evaluationTypeName, type EvaluationOutcome } from "../api-schema/evaluation-types.js";
import { describeError } from "../runtime/describe-error.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { SpanSink, TraceKey } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import { LONGEST_TIMER_MS } from "../runtime/longest-timer.js";
import { nextTurn } from "../runtime/loop-turn.js";
import type { BatchContext } from "../span/span-facts.js";
import { valueSize } from "../span/value-size.js";
import { hasAnswer, readEvaluatedText } from "./evaluated-text.js";
import { EvaluationQueue } from "./evaluation-queue.js";
import { isChosen, readEvaluationRequest } from "./evaluation-request.js";
import type { EvaluationEnd, EvaluationResult, EvaluationSubject } from "./evaluation-result.js";
import type { EvaluationType } from "./evaluation-type.js";
import type { Judge, JudgeUsage } from "./judges/judge.js";
import type { TypeRegistry } from "./types/type-registry.js";

/** Where the evaluator reports what became of evaluations (contract 4, the ledger). */
export interface EvaluationCounters {
  offered(evaluations: number): void;
  /** One is over: `typeName` is the part of its type before the colon. */
  ended(outcome: EvaluationOutcome, typeName: string, context: BatchContext): void;
}

/** What {@link createEvaluator} needs. */
export interface EvaluatorOptions {
  readonly types: Pick<TypeRegistry, "find">;
  readonly judge: Judge;
  /** `evaluation.queue_size`. */
  readonly queueSize: number;
  /** What all evaluations that wait may hold together. */
  readonly budget: ByteAccount;
  /** `evaluation.drop_policy`. */
  readonly dropPolicy: "drop_new" | "drop_oldest";
  /** `evaluation.worker_concurrency`. */
  readonly concurrency: number;
  /** `evaluation.default_sample_rate`. */
  readonly defaultSampleRate: number;
  /** `evaluation.default_timeout_ms`. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly counters: EvaluationCounters;
  /** Where results go: every one but those that were dropped. */
  readonly deliver: (result: EvaluationResult) => Promise<void>;
  readonly log: { warning(message: string): void };
}

/**
 * Evaluates spans beside the pipeline: it takes what asks for it, lets it wait, and has the judge look at some at a time.
 * The spec's "worker threads" are concurrent tasks here, since they wait for the network and for nothing else.
 */
export interface Evaluator extends SpanSink {
  /** Evaluations that wait. */
  readonly waiting: number;
  /** Evaluations that wait or are under way. */
  readonly pending: number;
  /** Runs types over what is stored already, past both samplings. @returns how many were enqueued, of all. */
  run(subject: EvaluationSubject, types: readonly string[]): { enqueued: number; dropped: number };
  /** Gives up what is still to be said of traces that were deleted. */
  cancel(isDeleted: (key: TraceKey) => boolean): void;
  /**
   * Takes no more. With `drain` what waits is evaluated until the deadline (monotonic); what is under way then is given
   * up, and counted as dropped. Safe twice.
   */
  stop(deadlineMs: number, drain: boolean): Promise<void>;
}

interface Task {
  readonly subject: EvaluationSubject;
  readonly type: string;
  readonly bytes: number;
}

/** A character takes two bytes where a text has one beyond Latin-1. */
const BYTES_PER_CHARACTER = 2;
/** What a task takes besides its texts. */
const BYTES_PER_TASK = 512;

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { types, judge, clock, timeoutMs, counters } = options;
  const queue = new EvaluationQueue<Task>({
    capacity: options.queueSize,
    budget: options.budget,
    dropPolicy: options.dropPolicy,
  });
  const underWay = new Map<Task, AbortController>();
  const episode = createEpisodeLog(options.log, clock);
  let accepts = true;
  let stopping: Promise<void> | undefined;
  /** Ends the wait for the last evaluation. */
  let onIdle: (() => void) | undefined;

  function settle(outcome: EvaluationOutcome, { type, subject }: Task): void {
    counters.ended(outcome, evaluationTypeName(type), subject.context);
  }

  function enqueue(subject: EvaluationSubject, requested: readonly string[]): number {
    // The types share the text.
    const subjectBytes = (valueSize(subject.text) * BYTES_PER_CHARACTER) / Math.max(1, requested.length);
    let lost = 0;
    counters.offered(requested.length);
    for (const type of requested) {
      const bytes = Math.ceil(subjectBytes + type.length * BYTES_PER_CHARACTER) + BYTES_PER_TASK;
      const task: Task = { subject, type, bytes };
      const dropped = accepts ? queue.offer(task) : [task];
      for (const each of dropped) settle("dropped", each);
      if (dropped.includes(task)) lost++;
      if (dropped.length > 0) episode.dropped(dropped.length);
    }
    fill();
    return lost;
  }

  /** Begins as many as may be under way at a time. */
  function fill(): void {
    while (underWay.size < options.concurrency) {
      const task = queue.take();
      if (task === undefined) break;
      void evaluate(task);
    }
    if (underWay.size === 0) onIdle?.();
  }

  async function evaluate(task: Task): Promise<void> {
    const givenUp = new AbortController();
    underWay.set(task, givenUp);
    try {
      // What needs no judge would else go on and on before the loop looks at its sockets again.
      await nextTurn();
      const result = await resultOf(task, givenUp.signal);
      if (givenUp.signal.aborted) {
        settle("dropped", task);
        return;
      }
      settle(result.end.outcome, task);
      episode.ended(result.end);
      await options.deliver(result);
    } catch (error) {
      options.log.warning(`The result of an evaluation could not be delivered: ${describeError(error)}`);
    } finally {
      underWay.delete(task);
      fill();
    }
  }

  async function resultOf({ subject, type: id }: Task, givenUp: AbortSignal): Promise<EvaluationResult> {
    const startedAtMs = clock.now();
    const startMs = clock.monotonic();
    const type = types.find(id);
    const asksJudge = typeof type !== "string" && type.kind === "judged" && hasAnswer(subject.text);
    const { end, usage } = await endOf(type, subject, givenUp);
    return {
      subject,
      type: id,
      direction: typeof type === "string" ? "neutral" : type.direction,
      end,
      judge: asksJudge ? { provider: judge.provider, model: judge.model } : undefined,
      usage,
      startedAtMs,
      durationMs: clock.monotonic() - startMs,
    };
  }

  async function endOf(
    type: EvaluationType | string,
    subject: EvaluationSubject,
    givenUp: AbortSignal,
  ): Promise<{ end: EvaluationEnd; usage: JudgeUsage | undefined }> {
    if (typeof type === "string") return failed(`It was not evaluated: ${type}.`, "InvalidEvaluationType");
    if (!hasAnswer(subject.text))
      return failed(
        "It was not evaluated: the span has no completion. Is captureCompletion off?",
        "NoCompletion",
      );
    try {
      if (type.kind === "computed") {
        const verdict = await type.compute(subject.text);
        return typeof verdict === "string"
          ? failed(`It was not evaluated: ${verdict}.`, "InvalidEvaluationType")
          : { end: { outcome: "completed", verdict }, usage: undefined };
      }
      return await askJudge(type, subject, givenUp);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return failed(`The evaluation failed: ${message}`, "EvaluationError");
    }
  }

  async function askJudge(
    type: Extract<EvaluationType, { kind: "judged" }>,
    { text }: EvaluationSubject,
    givenUp: AbortSignal,
  ): Promise<{ end: EvaluationEnd; usage: JudgeUsage | undefined }> {
    const timeUp = new AbortController();
    const timer = setTimeout(() => timeUp.abort(), timeoutMs);
    const signal = AbortSignal.any([givenUp, timeUp.signal]);
    try {
      // Whether or not what is asked listens to the signal: nobody waits longer.
      const answer = await Promise.race([judge.ask(type, text, signal), aborted(signal)]);
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
      if (!timeUp.signal.aborted) throw error;
      const reason = `The judge did not answer within ${timeoutMs} ms.`;
      return { end: { outcome: "timeout", reason, errorType: "TimeoutError" }, usage: undefined };
    } finally {
      clearTimeout(timer);
    }
  }

  async function stop(deadlineMs: number, drain: boolean): Promise<void> {
    accepts = false;
    if (!drain) dropWaiting();
    if (underWay.size > 0 || queue.size > 0) {
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
      });
      const remainingMs = Math.max(0, deadlineMs - clock.monotonic());
      await Promise.race([idle, wait(Math.min(remainingMs, LONGEST_TIMER_MS), undefined, { ref: false })]);
      dropWaiting();
      for (const controller of underWay.values()) controller.abort();
      await idle;
    }
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
      return queue.size + underWay.size;
    },
    offer(spans) {
      for (const span of spans) {
        const request = readEvaluationRequest(span);
        if (request === undefined || !isChosen(request, options.defaultSampleRate, options.random()))
          continue;
        const subject = subjectOf(span);
        // A call that failed has nothing to be judged, and says so itself.
        if (span.facts.status === "ERROR" && !hasAnswer(subject.text)) continue;
        counters.offered(request.excess);
        for (let over = 0; over < request.excess; over++)
          counters.ended("dropped", EXCESS_TYPE, subject.context);
        enqueue(subject, request.types);
      }
    },
    run(subject, requested) {
      const dropped = enqueue(subject, requested);
      return { enqueued: requested.length - dropped, dropped };
    },
    cancel(isDeleted) {
      const concerns = ({ subject }: Task): boolean =>
        isDeleted({ tenant: subject.context.tenant, traceId: subject.traceId });
      for (const task of queue.remove(concerns)) settle("dropped", task);
      for (const [task, controller] of underWay) if (concerns(task)) controller.abort();
    },
    stop: (deadlineMs, drain) => (stopping ??= stop(deadlineMs, drain)),
  };
}

/** What is over the most that a span may ask for is counted under this, whatever it is called. */
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

/** What goes wrong is said again after this long, with how often it did. */
const SAID_AGAIN_MS = 60_000;

/** Says what goes wrong once in a while, not each time. */
function createEpisodeLog(log: EvaluatorOptions["log"], clock: Pick<Clock, "monotonic">) {
  const failures = { count: 0, saidAtMs: -Infinity };
  const drops = { count: 0, saidAtMs: -Infinity };
  const say = (what: typeof failures, amount: number, text: (count: number) => string): void => {
    what.count += amount;
    if (clock.monotonic() - what.saidAtMs < SAID_AGAIN_MS) return;
    log.warning(text(what.count));
    what.count = 0;
    what.saidAtMs = clock.monotonic();
  };
  return {
    dropped: (evaluations: number): void =>
      say(drops, evaluations, (count) => `The evaluation queue is full; dropped so far: ${count}.`),
    ended(end: EvaluationEnd): void {
      if (end.outcome === "completed") return;
      say(failures, 1, (count) => `Evaluation fails (${count} so far). ${end.reason}`);
    },
  };
}
