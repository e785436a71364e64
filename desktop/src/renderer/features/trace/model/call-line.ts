import { inlineJson, isTruncated, oneLine, parseJsonText } from "@obspan/collector-core/analysis";

/** Characters of arguments and results in one line. */
const LINE = 240;

/** The value of arguments or a result, which often come as a text that holds JSON. */
export function parsedValue(value: unknown): unknown {
  return typeof value === "string" ? (parseJsonText(value) ?? value) : value;
}

/** Arguments or a result in one line. */
export function callLine(value: unknown): string {
  if (value === undefined) return "";
  if (isTruncated(value)) return oneLine(value.preview, LINE);
  const held = parsedValue(value);
  return oneLine(typeof held === "string" ? held : inlineJson(held), LINE);
}
