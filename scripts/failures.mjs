/** The failed tests of a run, for the end of its output. */
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** How much of a failure's message is repeated. */
const MESSAGE_LINES = 25;

/**
 * The failed tests of a vitest report in JSON, and the files that failed outside a test.
 *
 * @param {object} report
 * @param {string} root - paths are relative to it
 * @returns {string[][]} the lines of each failure, the first with file and name
 */
export function failureLines(report, root) {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0 && status === "failed") return [[file, ...messageLines(message)]];
    return failed.map((test) => [
      `${file} > ${test.fullName}`,
      ...messageLines(test.failureMessages.join("\n")),
    ]);
  });
}

function messageLines(message) {
  return stripVTControlCharacters(message)
    .split("\n")
    .filter((line) => !line.includes("/node_modules/"))
    .slice(0, MESSAGE_LINES);
}
