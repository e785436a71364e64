/**
 * The median, which ignores single rounds that other work has disturbed.
 *
 * @param {readonly number[]} values - at least one.
 */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The quantile `share` of the values.
 *
 * @param {Float64Array} sorted - ascending.
 * @param {number} share - 0 to 1.
 */
export function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * A number with three significant digits, or all digits before the decimal point.
 *
 * @param {number} value
 */
export function show(value) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toPrecision(3);
}

/**
 * Prints rows of cells under their headings, the first column to the left and the others to the right.
 *
 * @param {readonly string[]} headings
 * @param {readonly (readonly (string | number)[])[]} rows
 */
export function printTable(headings, rows) {
  const lines = [headings, ...rows].map((row) =>
    row.map((cell) => (typeof cell === "number" ? show(cell) : cell)),
  );
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    );
    console.log(`  ${cells.join("  ")}`);
  }
}
