import type { EvaluationDirection } from "@obspan/collector-core/api-schema";

const ACRONYMS: ReadonlyMap<string, string> = new Map([
  ["json", "JSON"],
  ["pii", "PII"],
]);

/** An evaluation type as text: `instruction following`, `PII leak`. */
export function typeText(type: string): string {
  if (type.includes(":")) return type;
  return type
    .split("_")
    .map((word) => ACRONYMS.get(word) ?? word)
    .join(" ");
}

/** The same, with an arrow if lower is better. */
export function directedTypeText(type: string, direction: EvaluationDirection): string {
  return direction === "minimize" ? `${typeText(type)}\u00a0↓` : typeText(type);
}
