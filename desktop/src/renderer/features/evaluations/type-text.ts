import type { EvaluationDirection } from "@obspan/collector-core/api-schema";

/** A type as text: `instruction following`. */
export function typeText(type: string): string {
  return type.includes(":") ? type : type.replaceAll("_", " ");
}

/** The same, with an arrow if lower is better. */
export function directedTypeText(type: string, direction: EvaluationDirection): string {
  return direction === "minimize" ? `${typeText(type)} ↓` : typeText(type);
}
