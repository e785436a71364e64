import { isLongText } from "../model/values.js";
import { JsonCode } from "./code.js";
import { LongTextView } from "./long-text.js";

/** Any value: a text as prose or as the JSON in it, everything else as JSON. */
export function ValueView({ value }: { value: unknown }) {
  return isLongText(value) ? <LongTextView text={value} kind="prose" /> : <JsonCode value={value} />;
}
