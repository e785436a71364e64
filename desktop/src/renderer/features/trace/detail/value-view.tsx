import { isLongText } from "@obspan/collector-core/analysis";
import { JsonCode } from "./code.js";
import { LongTextView } from "./long-text.js";

/** A value of a program: a text unchanged or as the JSON in it, everything else as JSON. */
export function ValueView({ value }: { value: unknown }) {
  return isLongText(value) ? <LongTextView text={value} kind="data" /> : <JsonCode value={value} />;
}
