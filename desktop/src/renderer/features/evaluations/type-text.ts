import type { EvaluationDirection } from "@obspan/collector-core/api-schema";

/** A type as it is read: `instruction following`. */
export function typeText(type: string): string {
  return type.includes(":") ? type : type.replaceAll("_", " ");
}

/** With an arrow where less is better. */
export function directedTypeText(type: string, direction: EvaluationDirection): string {
  return direction === "minimize" ? `${typeText(type)} ↓` : typeText(type);
}
