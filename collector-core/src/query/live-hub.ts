import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { ApiError } from "../api-schema/errors.js";
import type { LiveStatus } from "../api-schema/live.js";
import type { LiveMetrics } from "../api-schema/stats.js";
import type {
  ArrivedTrace,
  Lifecycle,
  PartialCompletion,
  SpanSink,
  TraceKey,
  TraceStore,
} from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { createWorkTimer } from "../runtime/work-timer.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { EvaluationLog } from "./evaluation-log.js";
import { LiveChanges } from "./live-changes.js";
import type { LiveReader } from "./live-reader.js";
import { createTraceEvents, type TraceEvents } from "./live-trace-events.js";
import { RunningTexts } from "./running-texts.js";
import { TextReaders } from "./text-readers.js";
import { createWritePacer, type WritePacer } from "./write-pacer.js";

/** Options of {@link createLiveHub}. */
export interface LiveHubOptions {
  /** Undefined if the trace store is off: the hub then sends only `status` and `metrics`. */
  readonly store: Pick<TraceStore, "summaries"> | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  readonly status: () => LiveStatus;
  /** Evaluations that have ended. */
  readonly evaluations: Pick<EvaluationLog, "within" | "newest">;
  /** The newest step of the statistics. */
  readonly metrics: () => LiveMetrics;
}

/** Sends readers live updates after redaction, never from the queue (contract 3, `GET /v1/live`). */
export interface LiveHub extends SpanSink, Lifecycle {
  /**
   * Adds a reader. It resumes after the event `lastEventId`, if given.
   *
   * @returns a function that removes the reader.
   */
  connect(reader: LiveReader, lastEventId: string | undefined): () => void;
  /** Adds a reader of one trace, which receives the texts of its running spans. @returns a function that removes it. */
  connectTexts(reader: LiveReader, traceId: string): () => void;
  /**
   * Ends a reader, so that another can connect: one that is behind, else the reader of texts that has received nothing for the
   * longest time.
   *
   * @returns false if every reader is one of all traces and reads what it gets.
   */
  makeRoom(): boolean;
  /** Keeps the text of a running span until the next text, or the end of the span. */
  putText(partial: PartialCompletion): void;
  /** Sends the summaries of traces that a store answers only some time after it was given their spans. */
  changed(keys: readonly TraceKey[]): void;
  /**
   * Resets readers, which may show traces that were deleted.
   *
   * @param isDeleted - the deleted traces; undefined if they are not known.
   */
  cleared(isDeleted?: (trace: ArrivedTrace) => boolean): void;
}

/** At most five updates a second, as fast as a person can read (spec app 1). */
const STEP_MS = 200;
const STATUS_MS = 1000;
/** A minute of steps with changes, and about a screenful of rows in each. */
const MAX_STEPS = 300;
const MAX_TRACES_PER_STEP = 250;
/** Most bytes of the traces in one update of a reader, several times those of the traces above. */
const MAX_UPDATE_BYTES = 2 * 1024 * 1024;

/** The texts of running spans: some MiB, and the spans of many agents that run at the same time. */
const TEXT_LIMITS = {
  maxSpans: 10_000,
  maxBytes: 16 * 1024 * 1024,
  maxTextsPerTrace: 1000,
  maxSilenceMs: 30 * 60_000,
};

/** A screenful. A reader that missed more gets a `reset` and fetches the shown data again. */
const MAX_EVALUATIONS = 50;

interface Connected {
  readonly reader: LiveReader;
  step: number;
  /** Number of the last evaluation it has received. */
  evaluation: number;
}

export function createLiveHub({ store, clock, status, metrics, evaluations }: LiveHubOptions): LiveHub {
  const changes = new LiveChanges({ maxTracesPerStep: MAX_TRACES_PER_STEP, maxSteps: MAX_STEPS });
  /** Part of event ids. An id of an earlier run of the process counts as a gap. */
  const run = randomBytes(4).toString("hex");
  const connected = new Set<Connected>();
  const texts = new RunningTexts(TEXT_LIMITS, () => clock.monotonic());
  const textReaders = new TextReaders(texts, clock);
  let shownStatus: string | undefined;
  let isRebuilding = false;
  let changedAtMs = clock.monotonic();
  /** Each runs while there are readers, and until what happened without them is noted. */
  const steps = createWorkTimer(STEP_MS, () => {
    void sendChanges();
    void textReaders.send();
    return connected.size > 0 || textReaders.size > 0;
  });
  const seconds = createWorkTimer(STATUS_MS, () => {
    texts.expire();
    endUnauthorized();
    textReaders.check();
    void sendStatus();
    return connected.size > 0 || textReaders.size > 0 || texts.size > 0;
  });

  /** Writes to each reader what it missed, in time slices. Changes during the round wait for the next one. */
  const sendChanges = skipWhilePending(async () => {
    // Without a store, readers get neither traces nor evaluations.
    const hasEvaluated = store !== undefined && evaluations.newest > changes.lastEvaluation;
    if (hasEvaluated) changedAtMs = clock.monotonic();
    changes.endStep(store === undefined ? 0 : evaluations.newest);
    try {
      await sendMissed(changes.lastStep, changes.lastEvaluation);
    } catch (error) {
      // The store does not answer. Readers get what they missed in a later round.
      if (!(error instanceof ApiError)) throw error;
    }
  });

  /** Events of the evaluations that a reader missed, or a `reset` if there are too many. */
  function evaluationsText({ evaluation: after, reader: { tenant } }: Connected, upTo: number): string {
    if (after >= upTo) return "";
    const ended = evaluations.within({ after, upTo, tenant }, MAX_EVALUATIONS);
    if (ended === undefined) return eventText("reset", { reason: "burst" });
    return ended.map((evaluation) => eventText("evaluation", evaluation)).join("");
  }

  async function sendMissed(lastStep: number, lastEvaluation: number): Promise<void> {
    // The reader furthest behind comes first: what the others missed is a suffix of its events.
    const behind = [...connected].filter(({ step }) => step !== lastStep).sort((a, b) => a.step - b.step);
    const pacer = createWritePacer(clock);
    const id = `${run}-${lastStep}`;
    /** By the tenant of the reader. */
    const eventsOf = new Map<string | undefined, TraceEvents>();
    for (const each of behind) {
      if (!canWriteTo(each)) continue;
      const { tenant } = each.reader;
      const missed = changes.since(each.step, tenant);
      let text: string | Uint8Array;
      if (missed.type === "reset") text = eventText("reset", { reason: missed.reason }, id);
      else {
        const { keys } = missed;
        const events = eventsOf.get(tenant) ?? (await encodeEvents(keys, id, pacer));
        eventsOf.set(tenant, events);
        text = events.ofLast(keys.length) ?? eventText("reset", { reason: "burst" }, id);
        // Without an event for this reader, the id alone moves its position forward.
        if (text.length === 0) text = `id: ${id}\n\n`;
      }
      const ended = evaluationsText(each, lastEvaluation);
      // The reader may have disconnected or fallen behind during the await.
      if (!canWriteTo(each, ended.length + text.length)) continue;
      each.step = lastStep;
      each.evaluation = lastEvaluation;
      // The id is part of the last write: a client that has it has received the whole step.
      if (ended !== "") each.reader.write(ended);
      each.reader.write(text);
      await pacer.wrote(ended.length + text.length);
    }
  }

  function canWriteTo(each: Connected, bytes?: number): boolean {
    return connected.has(each) && !each.reader.isBehind(bytes);
  }

  /**
   * Encodes the current summaries of traces as events, in order; the last one has the id. The events of the first traces are
   * left out if all exceed the limit of an update.
   */
  async function encodeEvents(
    keys: readonly TraceKey[],
    id: string,
    pacer: WritePacer,
  ): Promise<TraceEvents> {
    /** The last trace first. */
    const texts: string[] = [];
    const summaries = (await store?.summaries(keys)) ?? [];
    let bytes = 0;
    let hasId = false;
    for (const summary of summaries.toReversed()) {
      // An evicted trace has no summary.
      const text: string = summary === undefined ? "" : eventText("trace", summary, hasId ? undefined : id);
      hasId ||= text !== "";
      bytes += Buffer.byteLength(text);
      if (bytes > MAX_UPDATE_BYTES) break;
      texts.push(text);
      await pacer.pause();
    }
    return createTraceEvents(texts.toReversed());
  }

  /** Ends the connections whose key or session has ended. */
  function endUnauthorized(): void {
    for (const each of connected) {
      if (each.reader.isAllowed()) continue;
      connected.delete(each);
      each.reader.end();
    }
  }

  const sendStatus = skipWhilePending(async () => {
    if (connected.size === 0) return;
    const text = statusText();
    const pacer = createWritePacer(clock);
    for (const each of [...connected]) {
      if (!canWriteTo(each)) continue;
      each.reader.write(text);
      await pacer.wrote(text.length);
    }
  });

  /** Built once per turn of the event loop: after a restart all readers connect at the same time. */
  function statusText(): string {
    if (shownStatus === undefined) {
      const current = status();
      // Lists that were fetched during a rebuild lack traces.
      if (isRebuilding && current.store?.rebuild_progress === null) clearChanges();
      isRebuilding = (current.store?.rebuild_progress ?? null) !== null;
      const unchangedMs = Math.floor(clock.monotonic() - changedAtMs);
      shownStatus =
        eventText("status", { ...current, unchanged_ms: unchangedMs }) + eventText("metrics", metrics());
      setImmediate(() => (shownStatus = undefined));
    }
    return shownStatus;
  }

  function clearChanges(): void {
    changedAtMs = clock.monotonic();
    changes.clear();
    steps.wake();
  }

  function wake(): void {
    steps.wake();
    seconds.wake();
  }

  function stepAfter(lastEventId: string | undefined): number {
    if (lastEventId === undefined) return changes.lastStep;
    // eslint-disable-next-line obspan/no-uncopied-part -- only compared
    const [seenRun, seenStep] = lastEventId.split("-");
    // An unknown step counts as one that was evicted.
    return seenRun === run && /^\d{1,15}$/.test(seenStep ?? "") ? Number(seenStep) : -1;
  }

  return {
    name: "live",
    offer(spans: readonly PipelineSpan[]) {
      changedAtMs = clock.monotonic();
      steps.wake();
      let last: TraceKey = { tenant: "", traceId: "" };
      for (const { facts, context } of spans) {
        const { tenant, receivedAtMs } = context;
        if (facts.isRunning) texts.start({ tenant, traceId: facts.traceId, receivedAtMs }, facts.spanId);
        else if (texts.size > 0) texts.end({ tenant, traceId: facts.traceId }, facts.spanId);
        // Spans of a trace are usually consecutive.
        if (facts.traceId === last.traceId && context.tenant === last.tenant) continue;
        last = { tenant: context.tenant, traceId: facts.traceId };
        changes.add(last);
      }
      if (texts.size > 0) seconds.wake();
    },
    changed(keys) {
      changedAtMs = clock.monotonic();
      steps.wake();
      for (const key of keys) changes.add(key);
    },
    cleared(isDeleted) {
      clearChanges();
      if (isDeleted !== undefined) texts.remove(isDeleted);
    },
    connectTexts(reader, traceId) {
      wake();
      return textReaders.connect(reader, traceId);
    },
    makeRoom() {
      for (const each of connected) {
        if (!each.reader.isBehind()) continue;
        connected.delete(each);
        each.reader.end();
        return true;
      }
      return textReaders.endOne();
    },
    putText(partial) {
      seconds.wake();
      texts.put(partial);
    },
    connect(reader, lastEventId) {
      wake();
      const step = stepAfter(lastEventId);
      const evaluation = changes.evaluationAt(step) ?? changes.lastEvaluation;
      const each: Connected = { reader, step, evaluation };
      connected.add(each);
      const id = each.step < 0 ? "" : `id: ${run}-${each.step}\n`;
      reader.write(`retry: 1000\n${id}${statusText()}`);
      return () => connected.delete(each);
    },
    start() {
      steps.start();
      seconds.start();
    },
    stop() {
      steps.stop();
      seconds.stop();
      textReaders.stop();
      for (const { reader } of connected) reader.end();
      connected.clear();
    },
  };
}

/** Skips a call while the previous one is pending, so that no reader gets older data after newer data. */
function skipWhilePending(round: () => Promise<void>): () => Promise<void> {
  let isPending = false;
  return async () => {
    if (isPending) return;
    isPending = true;
    try {
      await round();
    } finally {
      isPending = false;
    }
  };
}

/** Formats a server-sent event. JSON has no raw line breaks, so the data is one line. */
function eventText(event: string, data: unknown, id?: string): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
