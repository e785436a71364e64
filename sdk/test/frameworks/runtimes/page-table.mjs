/** The table of the matrix in docs/guide/register.md. */
import { CELLS, FORMS, RUNTIMES } from "./cells.mjs";

const BEGIN = "<!-- Written by the test of the matrix (CONTRIBUTING.md). Do not edit. -->\n\n";
const END = "\n<!-- End of the matrix. -->";

/** @returns {string} the table, with a note for each cell that cannot work. */
function tableText() {
  const limits = [...new Set(CELLS.map(({ limit }) => limit).filter((limit) => limit !== undefined))];
  const cell = (runtime, form) => {
    const { limit } = CELLS.find((each) => each.runtime === runtime && each.form === form) ?? {};
    return limit === undefined ? "yes" : `no (${limits.indexOf(limit) + 1})`;
  };
  const rows = [
    ["", ...FORMS.map(({ name }) => name)],
    ...RUNTIMES.map((runtime) => [runtime.name, ...FORMS.map((form) => cell(runtime, form))]),
  ];
  const width = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => `| ${row.map((text, column) => text.padEnd(width[column])).join(" | ")} |`);
  lines.splice(1, 0, `| ${width.map((length) => "-".repeat(length)).join(" | ")} |`);
  const notes = limits.map((limit, index) => `${index + 1}. ${limit}\n`);
  return `${lines.join("\n")}\n${notes.length > 0 ? `\n${notes.join("")}` : ""}`;
}

/**
 * Puts the table into the page.
 *
 * @param {string} page
 * @returns {string}
 */
export function withTable(page) {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error("The page has no place for the matrix.");
  return page.slice(0, begin + BEGIN.length) + tableText() + page.slice(end);
}
