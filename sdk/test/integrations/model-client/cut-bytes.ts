import fc from "fast-check";

/** Line breaks that servers use. */
export const LINE_BREAKS = ["\n", "\r\n"] as const;

/** Cuts bytes into pieces at these positions. */
export function cutBytes(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
}

/** The data of an event: text without line breaks. */
export const eventData = fc
  .string({ unit: "grapheme", minLength: 1 })
  .filter((text) => !/[\r\n]/.test(text) && text !== "[DONE]");
