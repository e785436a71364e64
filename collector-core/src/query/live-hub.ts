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
  /** Writes text, or bytes that other readers are sent too. */
  write(text: string | Uint8Array): void;
  /** True while the connection has to catch up: nothing is written then, and what it misses is merged. */
  isBehind(): boolean;
  /** False from when its key or its session has ended: it is told nothing more then. */
  isAllowed(): boolean;
  end(): void;
  /** Whose traces and evaluations it is told of; undefined: every tenant's. */
  readonly tenant?: string | undefined;
}

/** What {@link createLiveHub} needs. */
export interface LiveHubOptions {
  /** Undefined where the trace store is off: only `status` and `metrics` are sent. */
  readonly store: Pick<TraceStore, "summary"> | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  readonly status: () => LiveStatus;
  /** Evaluations that are over. */
  readonly evaluations: Pick<EvaluationLog, "within" | "newest">;
  /** The newest step of the statistics. */
  readonly metrics: () => LiveMetrics;
}

/** Tells readers what happens, after redaction and never from the queue (contract 3, `GET /v1/live`). */
export interface LiveHub extends SpanSink, Lifecycle {
  /**
   * Adds a reader, which goes on after the event of id `lastEventId` where it names one.
   *
   * @returns removes it.
   */
  connect(reader: LiveReader, lastEventId: string | undefined): () => void;
  /** Says that traces are gone which readers may show. */
  cleared(): void;
}

/** At most five updates a second: faster than that nobody reads (spec app 1). */
const STEP_MS = 200;
const STATUS_MS = 1000;
/** A minute of steps in which something changed, and about a screenful of rows in each. */
const MAX_STEPS = 300;
const MAX_TRACES_PER_STEP = 250;

/** A screenful. A reader that missed more gets a `reset`, and fetches what it shows. */
const MAX_EVALUATIONS = 50;

interface Connected {
  readonly reader: LiveReader;
  step: number;
  /** The last evaluation of the steps that it has been told of. */
  evaluation: number;
}

export function createLiveHub({ store, clock, status, metrics, evaluations }: LiveHubOptions): LiveHub {
  const changes = new LiveChanges({ maxTracesPerStep: MAX_TRACES_PER_STEP, maxSteps: MAX_STEPS });
  /** Tells ids of this run from those of an earlier one, which are a gap. */
  const run = randomBytes(4).toString("hex");
  const connected = new Set<Connected>();
  let shownStatus: string | undefined;
  let timers: NodeJS.Timeout[] = [];

  /** Writes what each reader has missed, in slices; what changes meanwhile is for the next round. */
  const sendChanges = oneAtATime(async () => {
    // Without a store readers are told of neither traces nor evaluations.
    changes.endStep(store === undefined ? 0 : evaluations.newest);
    await sendMissed(changes.lastStep, changes.lastEvaluation);
  });

  /** The evaluations that a reader has not been told of, or a `reset` where there are too many of them. */
  function evaluationsText({ evaluation: after, reader: { tenant } }: Connected, upTo: number): string {
    if (after >= upTo) return "";
    const ended = evaluations.within({ after, upTo, tenant }, MAX_EVALUATIONS);
    if (ended === undefined) return eventText("reset", { reason: "burst" });
    return ended.map((evaluation) => eventText("evaluation", evaluation)).join("");
  }

  async function sendMissed(lastStep: number, lastEvaluation: number): Promise<void> {
    // Who has missed most comes first: what the others have missed is a part of that.
    const behind = [...connected].filter(({ step }) => step !== lastStep).sort((a, b) => a.step - b.step);
    const pacer = createWritePacer(clock);
    const id = `${run}-${lastStep}`;
    /** By the tenant that a reader asks for. */
    const eventsOf = new Map<string | undefined, TraceEvents>();
    for (const each of behind) {
      if (!canBeTold(each)) continue;
      const { tenant } = each.reader;
      const missed = changes.since(each.step, tenant);
      let text: string | Uint8Array;
      if (missed.type === "reset") text = eventText("reset", { reason: missed.reason }, id);
      else {
        const { keys } = missed;
        const events = eventsOf.get(tenant) ?? (await makeEvents(keys, id, pacer));
        eventsOf.set(tenant, events);
        text = events.ofLast(keys.length);
        // A reader learns how far it has come, even where the step has no event for it.
        if (text.length === 0) text = `id: ${id}\n\n`;
      }
      // It may have left, or fallen behind, while the events were made.
      if (!canBeTold(each)) continue;
      const ended = evaluationsText(each, lastEvaluation);
      each.step = lastStep;
      each.evaluation = lastEvaluation;
      // The id is in what comes last: it says that all of the step has come.
      if (ended !== "") each.reader.write(ended);
      each.reader.write(text);
      await pacer.wrote(ended.length + text.length);
    }
  }

  function canBeTold(each: Connected): boolean {
    return connected.has(each) && !each.reader.isBehind();
  }

  /** The events of traces as they are now, in order; the last has the id. */
  async function makeEvents(keys: readonly TraceKey[], id: string, pacer: WritePacer): Promise<TraceEvents> {
    const texts: string[] = [];
    for (const key of keys) {
      const summary = await store?.summary(key);
      // Evicted traces have none.
      texts.push(summary === undefined ? "" : eventText("trace", summary));
      await pacer.pause();
    }
    const last = texts.findLastIndex((text) => text !== "");
    return createTraceEvents(texts.map((text, index) => (index === last ? `id: ${id}\n${text}` : text)));
  }

  /** Who was let in with a session that has ended since is not let in for ever. */
  function endRefused(): void {
    for (const each of connected) {
      if (each.reader.isAllowed()) continue;
      connected.delete(each);
      each.reader.end();
    }
  }

  const sendStatus = oneAtATime(async () => {
    if (connected.size === 0) return;
    const text = statusText();
    const pacer = createWritePacer(clock);
    for (const each of [...connected]) {
      if (!canBeTold(each)) continue;
      each.reader.write(text);
      await pacer.wrote(text.length);
    }
  });

  /** Made once for all who come in the same turn of the event loop: after a restart every reader comes at once. */
  function statusText(): string {
    if (shownStatus === undefined) {
      shownStatus = eventText("status", status()) + eventText("metrics", metrics());
      setImmediate(() => (shownStatus = undefined));
    }
    return shownStatus;
  }

  function stepAfter(lastEventId: string | undefined): number {
    if (lastEventId === undefined) return changes.lastStep;
    // eslint-disable-next-line obspan/no-uncopied-part -- compared, and not kept
    const [seenRun, seenStep] = lastEventId.split("-");
    // A step that never was is as good as one that is long gone.
    return seenRun === run && /^\d{1,15}$/.test(seenStep ?? "") ? Number(seenStep) : -1;
  }

  return {
    name: "live",
    offer(spans: readonly PipelineSpan[]) {
      let last: TraceKey = { tenant: "", traceId: "" };
      for (const { facts, context } of spans) {
        // The spans of a trace follow each other.
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
          endRefused();
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

/** A round of writes that is left out while the one before it is under way: no reader is told something older later. */
function oneAtATime(round: () => Promise<void>): () => Promise<void> {
  let isUnderWay = false;
  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      await round();
    } finally {
      isUnderWay = false;
    }
  };
}

/** One event as it travels. JSON has no raw line breaks, so the data is one line. */
function eventText(event: string, data: unknown, id?: string): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
