import type { Config, OptionKey } from "./options.js";

/**
 * The startup rules across two keys (spec 8).
 *
 * @param config - the values that keep to their own rules; a rule is not asked where one of its values does not.
 * @returns one line per rule that is broken.
 */
export function crossKeyProblems(
  config: Partial<Config>,
  sources: Readonly<Partial<Record<OptionKey, string>>>,
): string[] {
  const problems: string[] = [];
  const soft = config["backpressure.soft_limit_pct"];
  const hard = config["backpressure.hard_limit_pct"];
  if (soft !== undefined && hard !== undefined && soft >= hard) {
    // spec 8 rule 8
    problems.push(
      `backpressure.soft_limit_pct = ${soft} (${sources["backpressure.soft_limit_pct"]}): must be less than ` +
        `backpressure.hard_limit_pct = ${hard} (${sources["backpressure.hard_limit_pct"]})`,
    );
  }
  return problems;
}
