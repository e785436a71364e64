import { appendFileSync } from "node:fs";

/** Where `npm run faults` gathers what was found; unset in the tests. */
const REPORT_FILE = process.env["OBSPAN_FAULTS_REPORT"];

/** `npm run faults` runs the experiments at their whole size, on a machine that has nothing else to do. */
export const IS_WHOLE = REPORT_FILE !== undefined;

/** How much of an experiment is run: a bounded part in the tests, all of it in `npm run faults`. */
export function experimentSize(bounded: number, whole: number): number {
  return IS_WHOLE ? whole : bounded;
}

/** Says what an experiment of docs/reliability.md found. Whether that is good enough, the test itself expects. */
export function reportFinding(experiment: number, finding: string): void {
  console.log(`experiment ${experiment}: ${finding}`);
  if (REPORT_FILE !== undefined) appendFileSync(REPORT_FILE, `${JSON.stringify({ experiment, finding })}\n`);
}

/** `1.23 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
