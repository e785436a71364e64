import type { ComparedStep } from "./compared-step.js";
import type { StepContent } from "./step-content.js";

/** What can differ between two steps that belong together, in the order in which it is named. */
export const DIFFERENCES = [
  "name",
  "error",
  "model",
  "parameters",
  "system",
  "tools",
  "input",
  "output",
] as const;
export type Difference = (typeof DIFFERENCES)[number];

/** What differs between two steps. Times, tokens and costs are figures, not differences. */
export function differencesOf(a: ComparedStep, b: ComparedStep): Difference[] {
  return DIFFERENCES.filter((difference) =>
    difference === "name" ? a.name !== b.name : !isEqual(a.content[difference], b.content[difference]),
  );
}

function isEqual(a: StepContent[keyof StepContent], b: StepContent[keyof StepContent]): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b;
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
