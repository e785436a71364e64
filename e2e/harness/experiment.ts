import { appendFileSync } from "node:fs";

/** The file in which `npm run faults` collects results; unset in the tests. */
const REPORT_FILE = process.env["OBSPAN_FAULTS_REPORT"];

/** True in `npm run faults`, which runs the experiments at full size on an idle machine. */
export const IS_WHOLE = REPORT_FILE !== undefined;

/** The size of an experiment: `bounded` in the tests, `whole` in `npm run faults`. */
export function experimentSize(bounded: number, whole: number): number {
  return IS_WHOLE ? whole : bounded;
}

/** Reports the result of an experiment of docs/reliability.md. The test asserts whether it passes. */
export function reportFinding(experiment: number, finding: string): void {
  console.log(`experiment ${experiment}: ${finding}`);
  if (REPORT_FILE !== undefined) appendFileSync(REPORT_FILE, `${JSON.stringify({ experiment, finding })}\n`);
}

/** Reports why an experiment is not run here. `npm run faults` does not fail for that. */
export function reportSkipped(experiment: number, why: string): void {
  if (REPORT_FILE === undefined) return;
  appendFileSync(REPORT_FILE, `${JSON.stringify({ experiment, finding: why, skipped: true })}\n`);
}

/** `1.23 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
