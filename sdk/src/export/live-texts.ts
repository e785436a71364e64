import { clearInterval, setInterval } from "node:timers";
import { liveTexts, type LiveText } from "../capture/live-text.js";
import type { Config } from "../config/options.js";
import { lateCode } from "../late-code.js";
import { partialText } from "../span/partial-text.js";
import { toEpochMs, type RecordedSpan } from "../span/recorded-span.js";
import type { Span } from "../wire/index.js";
import type { TransportResponse } from "./transport.js";
import { toWireSpan, type QueuedSpan } from "./queued-span.js";

/** Options of {@link createLiveTexts}. */
export interface LiveTextsOptions {
  readonly config: Pick<Config, "mask" | "beforeSend">;
  /** True once the start of the span was sent: the collector ignores the text of a span that it does not know. */
  readonly isStarted: (span: RecordedSpan) => boolean;
  /** Sends spans as one request, without retries. Rejects if no response came. */
  readonly post: (spans: readonly Span[]) => Promise<TransportResponse>;
  /** Milliseconds of the monotonic clock. */
  readonly nowMs: () => number;
  /** Default: the calls of this process. */
  readonly texts?: Map<RecordedSpan, LiveText>;
}

/** Sends the texts of streams until it is stopped. */
export interface LiveTexts {
  stop(): void;
}

/** At most four times a second (contract 1). */
const INTERVAL_MS = 250;
/** Most text of one request, in characters. The other calls are part of the next request. */
const MAX_REQUEST_LENGTH = 1024 * 1024;
/** Longest work of one request, unless one text takes longer. */
const MAX_WORK_MS = 5;
/** After reading and masking texts, the pause is at least this many times as long: a slow mask must not fill the app's time. */
const REST_FACTOR = 20;
/** After a failed request. */
const PAUSE_MS = 5000;

/**
 * Sends the text of the model calls that stream, as the attribute `completion_partial` of a running span (contract 1). A text
 * is read when it is sent, so nothing is queued: what could not be sent is replaced by the next text. Texts have a connection
 * of their own and are not counted in `stats()`.
 */
export function createLiveTexts({
  config: { mask, beforeSend },
  isStarted,
  post,
  nowMs,
  texts = liveTexts,
}: LiveTextsOptions): LiveTexts {
  let isSending = false;
  let pausedUntilMs = 0;
  /** The last text of each call that was sent. */
  const sent = new WeakMap<RecordedSpan, string>();

  function tick(): void {
    if (texts.size === 0 || isSending || nowMs() < pausedUntilMs) return;
    const beganMs = nowMs();
    const spans = changedSpans();
    pausedUntilMs = nowMs() + (nowMs() - beganMs) * REST_FACTOR;
    if (spans.length === 0) return;
    isSending = true;
    void post(spans.map(({ wire }) => wire))
      .then(({ status }) => status >= 200 && status < 300)
      .catch(() => false)
      .then((isAccepted) => {
        isSending = false;
        if (isAccepted) return;
        pausedUntilMs = nowMs() + PAUSE_MS;
        for (const { span } of spans) {
          sent.delete(span);
          const text = texts.get(span);
          if (text !== undefined) text.hasChanged = true;
        }
      });
  }

  /** The calls with a new text, as they are sent. Removes the calls that have ended. */
  function changedSpans(): { readonly span: RecordedSpan; readonly wire: Span }[] {
    const untilMs = nowMs() + MAX_WORK_MS;
    const changed: { span: RecordedSpan; wire: Span }[] = [];
    let length = 0;
    for (const [span, live] of [...texts]) {
      if (!span.isRecording) {
        texts.delete(span);
        continue;
      }
      if (!live.hasChanged || !isStarted(span)) continue;
      if (length >= MAX_REQUEST_LENGTH || nowMs() >= untilMs) break;
      live.hasChanged = false;
      // The calls that come first the next time are those that were not read this time.
      texts.delete(span);
      texts.set(span, live);
      const text = readText(span, live);
      if (text === "" || text === sent.get(span)) continue;
      sent.set(span, text);
      length += text.length;
      changed.push({ span, wire: withText(span, text) });
    }
    return changed;
  }

  /** The text to send; empty if there is none, or if `beforeSend()` drops the span. */
  function readText(span: RecordedSpan, live: LiveText): string {
    try {
      const completion = live.read();
      if (typeof completion !== "string") return "";
      const text = partialText(completion, mask && ((whole) => masked(span, whole)));
      return beforeSend === undefined || text === "" ? text : changedText(span, text);
    } catch {
      // A stream that cannot be read shows no text.
      return "";
    }
  }

  /** `beforeSend()` gets the span with the text, and may change or drop it. */
  function changedText(span: RecordedSpan, text: string): string {
    const whole = toWireSpan({ span, bytes: 0, pricer: undefined });
    const queued: QueuedSpan = {
      span,
      bytes: 0,
      pricer: undefined,
      wire: { ...whole, attributes: { ...whole.attributes, completion_partial: text } },
    };
    if (beforeSend === undefined || lateCode()?.applyBeforeSend(beforeSend, queued) !== true) return "";
    const changed = queued.wire?.attributes?.["completion_partial"];
    return typeof changed === "string" ? changed : "";
  }

  // Not the timers of the app, which a test may replace.
  const timer = setInterval(tick, INTERVAL_MS).unref();
  return { stop: () => clearInterval(timer) };
}

/** The mask gets the text as the completion that it becomes. */
function masked({ runtime: { policy } }: RecordedSpan, text: string): string {
  const { value } = policy.apply("completion_text", text);
  return typeof value === "string" ? value : "";
}

/** Only what identifies the span: its start has the name and the attributes, as `beforeSend()` left them. */
function withText({ spanType, spanId, trace, startedAtMs }: RecordedSpan, text: string): Span {
  return {
    name: spanType,
    span_type: spanType,
    trace_id: trace.traceId,
    span_id: spanId,
    start_time: toEpochMs(trace, startedAtMs),
    status: "RUNNING",
    attributes: { completion_partial: text },
  };
}
