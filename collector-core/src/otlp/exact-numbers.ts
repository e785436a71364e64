/** A number where it is exact, else its digits. */
export function wholeNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** A number, or the name of what is none. */
export function finiteNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
