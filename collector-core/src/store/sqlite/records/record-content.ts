import { isAmount, isRecord, type BatchContext } from "../../../span/span-facts.js";
import { isCount, isNumber, isText, objectOf, orAbsent, type Shape } from "../../traces/stored-shape.js";

/** The parsed parts of a record. */
export interface RecordContent {
  readonly spans: unknown;
  /** As the header has it. */
  readonly spanCount: number;
  readonly contexts: readonly { readonly context: BatchContext }[];
  readonly notes: readonly unknown[];
  readonly isRemoved: (index: number) => boolean;
}

/** A request is nested 32 levels deep at most (contract 1); a stage may wrap a value. */
const MAX_DEPTH = 64;
/** The end of the year 9999. */
const LATEST_MS = 253_402_300_799_999;

const isTime: Shape = (value) => isNumber(value) && Math.abs(value as number) <= LATEST_MS;
const isContext = objectOf({
  tenant: isText,
  service: isText,
  env: isText,
  version: orAbsent(isText),
  receivedAtMs: isTime,
});
const isSpan = objectOf({ name: isText, trace_id: isText });

/** True if the parts of a record fit together, and have the shapes that `RecordWriter` writes. */
export function hasSoundContent({ spans, spanCount, contexts, notes, isRemoved }: RecordContent): boolean {
  return (
    Array.isArray(spans) &&
    spans.length === spanCount &&
    spans.every((span: unknown, index) =>
      isRemoved(index) ? span === null : isSpan(span) && !isDeeper(span, MAX_DEPTH),
    ) &&
    contexts.length > 0 &&
    contexts.every(({ context }) => isContext(context)) &&
    notes.every(isNote)
  );
}

/** See `SpanNote`. */
function isNote(note: unknown): boolean {
  if (!Array.isArray(note)) return false;
  const [index, id, labels = null, remains = null, costUsd = 0] = note as unknown[];
  const areLabels = labels === null || (Array.isArray(labels) && labels.length === 2 && labels.every(isText));
  const areRemains = remains === null || isRecord(remains);
  return isCount(index) && (id === null || isText(id)) && areLabels && areRemains && isAmount(costUsd);
}

/** True if a value is nested deeper than `levels`. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((each) => isDeeper(each, levels - 1));
}
