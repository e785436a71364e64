import { processWide } from "../process-wide.js";
import type { RecordedSpan } from "../span/recorded-span.js";
import type { ManualSpan } from "../span/span-handle.js";

/** The completion of a model call that streams. */
export interface LiveText {
  /** Reads the completion so far. */
  readonly read: () => unknown;
  /** True if text arrived since the completion was sent. */
  hasChanged: boolean;
}

/** Most calls whose text is followed at one time. Further calls show their text when they end. */
const MAX_LIVE_TEXTS = 1000;

/** The model calls that stream, by span. With `live`, `export/live-texts.ts` sends their texts, and removes ended calls. */
export const liveTexts = processWide("liveTexts", () => new Map<RecordedSpan, LiveText>());

/** The response to a model call so far. */
export interface PartialResponse {
  response(): unknown;
}

/** Reads the attributes of a response. */
export interface ResponseReader {
  readonly readResponse: (response: unknown) => Readonly<Record<string, unknown>>;
}

/**
 * Sends the completion of a model call while it streams. It is read at most four times a second.
 *
 * @param partial - must not keep the stream in memory.
 * @param reader - reads `completion_text` of the response. Default: the response is the completion.
 * @returns what to call when text arrived; undefined without `live`, and if completions are not captured.
 */
export function followLiveText(
  span: ManualSpan,
  partial: PartialResponse,
  reader?: ResponseReader,
): (() => void) | undefined {
  if (!isRecorded(span)) return undefined;
  const { config, policy } = span.runtime;
  if (!config.live || config.pushUrl === undefined || !policy.capturesCompletion) return undefined;
  if (liveTexts.size >= MAX_LIVE_TEXTS) removeEnded();
  if (liveTexts.size >= MAX_LIVE_TEXTS) return undefined;
  const read = (): unknown => {
    const response = partial.response();
    return reader === undefined ? response : reader.readResponse(response)["completion_text"];
  };
  const text: LiveText = { read, hasChanged: false };
  liveTexts.set(span, text);
  return () => {
    text.hasChanged = true;
  };
}

/** A span that records is of the class, perhaps in another copy of the package. */
function isRecorded(span: ManualSpan): span is RecordedSpan {
  return span.isRecording;
}

function removeEnded(): void {
  for (const span of liveTexts.keys()) if (!span.isRecording) liveTexts.delete(span);
}
