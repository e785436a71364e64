import { runInSlices } from "../runtime/steps.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { decodeUtf8, decodeUtf8InSteps } from "./decode-utf8.js";
import { OTLP_JSON_BOUNDS, parseJson, requireJsonBounds } from "./parse-json.js";

/** From here on a line is looked at and parsed in turns of their own: of 40 MB each step takes 0.1 to 0.2 s. */
const LONG_LINE_BYTES = 1024 * 1024;

/**
 * The value of one line of a file. All that must be known of its bytes before a value is made of them is asked here.
 *
 * @param timeSlice - lets everything else have its turn, between the steps of a long line.
 * @throws `ApiError` invalid_json, invalid_encoding, too_deep, batch_too_large.
 */
export async function parseImportLine(
  bytes: Buffer,
  timeSlice: Pick<TimeSlice, "isOver" | "next">,
): Promise<unknown> {
  const isLong = bytes.byteLength >= LONG_LINE_BYTES;
  requireJsonBounds(bytes, OTLP_JSON_BOUNDS);
  if (isLong) await timeSlice.next();
  const decoded = isLong ? await runInSlices(decodeUtf8InSteps(bytes), timeSlice) : decodeUtf8(bytes);
  const text = decoded.replace(/^\uFEFF/, "");
  if (isLong) await timeSlice.next();
  const json = parseJson(text);
  if (isLong) await timeSlice.next();
  return json;
}
