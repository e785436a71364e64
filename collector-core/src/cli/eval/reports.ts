import { durationText } from "../../share/trace-facts.js";
import { moneyText, percentText } from "../output/figures.js";
import { safeLine } from "../output/safe-text.js";
import type { Verdict } from "./expectation.js";

/** The value of a verdict with its unit. */
export function valueText({ value, isEstimate, expectation }: Verdict): string {
  if (value === undefined) return "no value";
  switch (expectation.figure.unit) {
    case "ms":
      return durationText(value);
    case "usd":
      return `${isEstimate ? "≈ " : ""}${moneyText(value)}`;
    case "ratio":
      return percentText(value);
    case "score":
      return value.toFixed(2);
    case "count":
      return (Math.round(value * 100) / 100).toLocaleString("en-US");
  }
}

/** Why an expectation is missed, in a sentence. */
export function missText(verdict: Verdict): string {
  const { expectation, value, runs, worst } = verdict;
  if (value === undefined)
    return `${expectation.text}: no run has ${expectation.scoreType === undefined ? "a value" : `a score of type ${expectation.scoreType}`}.`;
  const ids = worst.map(({ trace_id: id }) => id);
  const traces = ids.length === 0 ? "" : ` Worst: ${ids.join(", ")}.`;
  return `${expectation.text}: it is ${valueText(verdict)} in ${runs.toLocaleString("en-US")} ${runs === 1 ? "run" : "runs"}.${traces}`;
}

/** A report in the format of JUnit, which CI systems show. */
export function junitReport(verdicts: readonly Verdict[], query: string, seconds: number): string {
  const missed = verdicts.filter(({ isMet }) => !isMet).length;
  const cases = verdicts.map((verdict) => {
    const { expectation, isMet } = verdict;
    const open = `    <testcase classname="obspan.eval" name="${xml(expectation.text)}" time="0"`;
    if (isMet)
      return `${open}>\n      <system-out>${xml(valueText(verdict))}</system-out>\n    </testcase>\n`;
    return `${open}>\n      <failure message="${xml(missText(verdict))}" type="missed">${xml(missText(verdict))}</failure>\n    </testcase>\n`;
  });
  const counts = `tests="${verdicts.length}" failures="${missed}" errors="0" time="${seconds.toFixed(3)}"`;
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="obspan eval" ${counts}>\n` +
    `  <testsuite name="${xml(query)}" ${counts}>\n${cases.join("")}  </testsuite>\n</testsuites>\n`
  );
}

/** A line that GitHub shows as an annotation of the run. */
export function githubAnnotation(verdict: Verdict): string {
  return `::error title=obspan eval::${command(safeLine(missText(verdict)))}\n`;
}

/** A text of a workflow command. */
function command(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

/** A text of XML, without characters that XML does not have. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, "\ufffd")
    .replace(/[&<>"]/g, (character) => ENTITIES.get(character) ?? character);
}
