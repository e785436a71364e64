/** The integer as a number if exact, else as a string. */
export function wholeNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** A finite number, or the name of a non-finite one. */
export function finiteNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
