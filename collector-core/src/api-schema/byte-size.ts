/** A number of bytes as people read it. */
export interface ByteSize {
  /** With one decimal place, unless that is 0. */
  readonly value: string;
  readonly unit: string;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** `1.4 GiB`, `10 GiB`: the same on the command line, in the app and in the documentation. */
export function byteSize(bytes: number): ByteSize {
  let unit = 0;
  let value = bytes;
  // 1023.95 would be shown as 1024.
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return { value: String(Number(value.toFixed(1))), unit: UNITS[unit] ?? "B" };
}

/** {@link byteSize} as one text. */
export function byteSizeText(bytes: number): string {
  const { value, unit } = byteSize(bytes);
  return `${value} ${unit}`;
}
