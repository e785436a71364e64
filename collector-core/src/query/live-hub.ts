import { randomBytes } from "node:crypto";
import type { Evaluation } from "../contract/evaluations.js";
import type { LiveStatus } from "../contract/live.js";
import type { LiveMetrics } from "../contract/stats.js";
import type { Lifecycle, PipelineSpan, SpanSink, TraceKey, TraceStore } from "../interfaces.js";
import { LiveChanges } from "./live-changes.js";

/** A connection that events are written to. */
export interface LiveReader {
  /** Writes text; false where the connection takes no more until it has caught up. */
  write(text: string): boolean;
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
  readonly status: () => LiveStatus;
  /** Evaluations that are over since a number, the latest of them, and the newest number. */
  readonly evaluationsAfter: (
    sequence: number,
    max: number,
  ) => { evaluations: Evaluation[]; sequence: number };
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

/** At most five updates a second: faster than that nobody reads (ui.md, "Bars"). */
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
  /** The last evaluation that was sent. */
  evaluation: number;
}

export function createLiveHub({ store, status, metrics, evaluationsAfter }: LiveHubOptions): LiveHub {
  const changes = new LiveChanges({ maxTracesPerStep: MAX_TRACES_PER_STEP, maxSteps: MAX_STEPS });
  /** Tells ids of this run from those of an earlier one, which are a gap. */
  const run = randomBytes(4).toString("hex");
  const connected = new Set<Connected>();
  let timers: NodeJS.Timeout[] = [];

  /** Writes what each reader has missed. Readers that are up to date get the same text, which is made once. */
  async function sendChanges(): Promise<void> {
    changes.endStep(newestEvaluation());
    const texts = new Map<string, Promise<string>>();
    for (const each of connected) {
      if (each.step === changes.lastStep || each.reader.isBehind()) continue;
      const { tenant } = each.reader;
      const key = tenant === undefined ? String(each.step) : `${each.step} ${tenant}`;
      const text = texts.get(key) ?? changesText(each.step, tenant);
      texts.set(key, text);
      each.step = changes.lastStep;
      const ended = evaluationsText(each);
      each.reader.write(ended + (await text));
    }
  }

  /** The evaluations that a reader has not been told of, or a `reset` where there are too many of them. */
  function evaluationsText(each: Connected): string {
    const { evaluations, sequence } = evaluationsAfter(each.evaluation, MAX_EVALUATIONS);
    const missed = sequence - each.evaluation;
    each.evaluation = sequence;
    if (missed > MAX_EVALUATIONS) return eventText("reset", { reason: "burst" });
    const { tenant } = each.reader;
    return evaluations
      .filter((evaluation) => tenant === undefined || evaluation.tenant === tenant)
      .map((evaluation) => eventText("evaluation", evaluation))
      .join("");
  }

  function newestEvaluation(): number {
    return evaluationsAfter(Infinity, 0).sequence;
  }

  async function changesText(step: number, tenant: string | undefined): Promise<string> {
    const id = `${run}-${changes.lastStep}`;
    const missed = changes.since(step);
    if (missed.type === "reset") return eventText("reset", { reason: missed.reason }, id);
    const keys = missed.keys.filter((key) => tenant === undefined || key.tenant === tenant);
    const summaries = await Promise.all(keys.map(summaryOf));
    return summaries
      .filter((summary) => summary !== undefined)
      .map((summary, index, all) => eventText("trace", summary, index === all.length - 1 ? id : undefined))
      .join("");
  }

  async function summaryOf(key: TraceKey) {
    return await store?.summary(key);
  }

  /** Who was let in with a session that has ended since is not let in for ever. */
  function endRefused(): void {
    for (const each of connected) {
      if (each.reader.isAllowed()) continue;
      connected.delete(each);
      each.reader.end();
    }
  }

  function sendStatus(): void {
    endRefused();
    if (connected.size === 0) return;
    const text = eventText("status", status()) + eventText("metrics", metrics());
    for (const { reader } of connected) if (!reader.isBehind()) reader.write(text);
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
      const seen = lastEventId === undefined ? undefined : changes.evaluationAt(step);
      const each: Connected = { reader, step, evaluation: seen ?? newestEvaluation() };
      connected.add(each);
      reader.write(
        `retry: 1000\n${eventText("status", status(), each.step < 0 ? undefined : `${run}-${each.step}`)}` +
          eventText("metrics", metrics()),
      );
      return () => connected.delete(each);
    },
    start() {
      timers = [
        setInterval(() => void sendChanges(), STEP_MS).unref(),
        setInterval(sendStatus, STATUS_MS).unref(),
      ];
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
      for (const { reader } of connected) reader.end();
      connected.clear();
    },
  };
}

/** One event as it travels. JSON has no raw line breaks, so the data is one line. */
function eventText(event: string, data: unknown, id?: string): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
