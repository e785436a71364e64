import { randomBytes } from "node:crypto";
import type { LiveStatus } from "../api-schema/live.js";
import type { LiveMetrics } from "../api-schema/stats.js";
import type { Lifecycle, SpanSink, TraceKey, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { EvaluationLog } from "./evaluation-log.js";
import { LiveChanges } from "./live-changes.js";
import { createTraceEvents, type TraceEvents } from "./live-trace-events.js";
import { createWritePacer, type WritePacer } from "./write-pacer.js";

/** A connection that events are written to. */
export interface LiveReader {
  /** Writes text, or bytes that readers share. */
  write(text: string | Uint8Array): void;
  /** True while the connection has unsent data. Nothing is written then; missed changes are merged. */
  isBehind(): boolean;
  /** False once its key or session has ended: the hub then ends the connection. */
  isAllowed(): boolean;
  end(): void;
  /** Tenant of the traces and evaluations it gets; undefined selects every tenant. */
  readonly tenant?: string | undefined;
}

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
  /** Resets readers, which may show traces that were deleted. */
  cleared(): void;
}

/** At most five updates a second, as fast as a person can read (spec app 1). */
const STEP_MS = 200;
const STATUS_MS = 1000;
/** A minute of steps with changes, and about a screenful of rows in each. */
const MAX_STEPS = 300;
const MAX_TRACES_PER_STEP = 250;

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
  let shownStatus: string | undefined;
  let timers: NodeJS.Timeout[] = [];

  /** Writes to each reader what it missed, in time slices. Changes during the round wait for the next one. */
  const sendChanges = skipWhilePending(async () => {
    // Without a store, readers get neither traces nor evaluations.
    changes.endStep(store === undefined ? 0 : evaluations.newest);
    await sendMissed(changes.lastStep, changes.lastEvaluation);
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
        text = events.ofLast(keys.length);
        // Without an event for this reader, the id alone moves its position forward.
        if (text.length === 0) text = `id: ${id}\n\n`;
      }
      // The reader may have disconnected or fallen behind during the await.
      if (!canWriteTo(each)) continue;
      const ended = evaluationsText(each, lastEvaluation);
      each.step = lastStep;
      each.evaluation = lastEvaluation;
      // The id is part of the last write: a client that has it has received the whole step.
      if (ended !== "") each.reader.write(ended);
      each.reader.write(text);
      await pacer.wrote(ended.length + text.length);
    }
  }

  function canWriteTo(each: Connected): boolean {
    return connected.has(each) && !each.reader.isBehind();
  }

  /** Encodes the current summaries of traces as events, in order; the last one has the id. */
  async function encodeEvents(
    keys: readonly TraceKey[],
    id: string,
    pacer: WritePacer,
  ): Promise<TraceEvents> {
    const texts: string[] = [];
    const summaries = (await store?.summaries(keys)) ?? [];
    for (const summary of summaries) {
      // An evicted trace has no summary.
      texts.push(summary === undefined ? "" : eventText("trace", summary));
      await pacer.pause();
    }
    const last = texts.findLastIndex((text) => text !== "");
    return createTraceEvents(texts.map((text, index) => (index === last ? `id: ${id}\n${text}` : text)));
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
      shownStatus = eventText("status", status()) + eventText("metrics", metrics());
      setImmediate(() => (shownStatus = undefined));
    }
    return shownStatus;
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
      let last: TraceKey = { tenant: "", traceId: "" };
      for (const { facts, context } of spans) {
        // Spans of a trace are usually consecutive.
        if (facts.traceId === last.traceId && context.tenant === last.tenant) continue;
        last = { tenant: context.tenant, traceId: facts.traceId };
        changes.add(last);
      }
    },
    cleared: () => changes.clear(),
    connect(reader, lastEventId) {
      const step = stepAfter(lastEventId);
      const evaluation = changes.evaluationAt(step) ?? changes.lastEvaluation;
      const each: Connected = { reader, step, evaluation };
      connected.add(each);
      const id = each.step < 0 ? "" : `id: ${run}-${each.step}\n`;
      reader.write(`retry: 1000\n${id}${statusText()}`);
      return () => connected.delete(each);
    },
    start() {
      timers = [
        setInterval(() => void sendChanges(), STEP_MS).unref(),
        setInterval(() => {
          endUnauthorized();
          void sendStatus();
        }, STATUS_MS).unref(),
      ];
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
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
