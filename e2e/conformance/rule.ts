import { it } from "vitest";
import type { SpecRule } from "./spec-rules.js";

/** A test of one rule of the specification, whose name begins with the rule. */
export function rule(id: SpecRule, behaviour: string, test: () => Promise<void> | void): void {
  it(`spec ${id}: ${behaviour}`, test);
}
