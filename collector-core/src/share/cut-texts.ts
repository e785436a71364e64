import type { JsonValue } from "@obspan/sdk/wire";
import type { NormalizedSpan, TruncatedText } from "../api-schema/trace.js";
import type { Steps } from "../runtime/steps.js";
import { truncateCodePoints } from "../span/kept-text.js";

/** A longer text is cut: it is searched for personal data in one piece. */
export const MAX_TEXT_LENGTH = 50_000;
/** Left behind the cut for the redactor, which then cuts itself: it leaves no part of a secret that the cut would split. */
const MARGIN = 8192;

/** Cuts the long texts of a span, with pauses, and says how long they are. Returns the same span if none is long. */
export function* cutInSteps(span: NormalizedSpan): Steps<NormalizedSpan> {
  const pauses = new Pauses();
  const attributes = yield* cut(span.attributes, pauses);
  const events: SpanEvent[] = [];
  for (const event of span.events) events.push(yield* cutEvent(event, pauses));
  const isSame = events.every((event, index) => event === span.events[index]);
  if (attributes === span.attributes && isSame) return span;
  return { ...span, attributes: attributes as NormalizedSpan["attributes"], events };
}

type Scalar = Exclude<JsonValue, object>;
type SpanEvent = NormalizedSpan["events"][number];

/** The name of an event stays a text. */
function* cutEvent(event: SpanEvent, pauses: Pauses): Steps<SpanEvent> {
  const attributes = (yield* cut(event.attributes ?? {}, pauses)) as NonNullable<SpanEvent["attributes"]>;
  const isLong = event.name.length > MAX_TEXT_LENGTH;
  if (!isLong && (event.attributes === undefined || attributes === event.attributes)) return event;
  const name = isLong ? truncateCodePoints(event.name, MAX_TEXT_LENGTH + MARGIN) : event.name;
  return { ...event, name, attributes };
}

/** Counts the lists and objects of a span. */
class Pauses {
  #items = 0;

  /** True after every so many. */
  isDue(): boolean {
    return ++this.#items % ITEMS_PAUSE === 0;
  }
}

/** Lists and objects between two pauses. */
const ITEMS_PAUSE = 1024;

function* cut(value: JsonValue, pauses: Pauses): Steps<JsonValue | TruncatedText> {
  if (value === null || typeof value !== "object") return cutScalar(value);
  if (pauses.isDue()) yield;
  if (Array.isArray(value)) {
    const items: (JsonValue | TruncatedText)[] = [];
    for (const item of value) items.push(isScalar(item) ? cutScalar(item) : yield* cut(item, pauses));
    return items.some((item, index) => item !== value[index]) ? (items as JsonValue[]) : value;
  }
  const entries: (readonly [string, JsonValue | TruncatedText])[] = [];
  for (const [key, item] of Object.entries(value))
    entries.push([key, isScalar(item) ? cutScalar(item) : yield* cut(item, pauses)]);
  const isSame = entries.every(([key, item]) => item === value[key]);
  // fromEntries defines properties: an assignment to `__proto__` would set the prototype.
  return isSame ? value : (Object.fromEntries(entries) as Record<string, JsonValue>);
}

function isScalar(value: JsonValue): value is Scalar {
  return value === null || typeof value !== "object";
}

function cutScalar(value: Scalar): Scalar | TruncatedText {
  return typeof value === "string" ? cutText(value) : value;
}

function cutText(text: string): string | TruncatedText {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  return {
    truncated: true,
    bytes: Buffer.byteLength(text),
    preview: truncateCodePoints(text, MAX_TEXT_LENGTH + MARGIN),
  };
}
