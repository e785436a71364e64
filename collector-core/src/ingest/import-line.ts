import { runInSlices } from "../runtime/steps.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { decodeUtf8, decodeUtf8InSteps } from "./decode-utf8.js";
import { OTLP_JSON_BOUNDS, parseJson, requireJsonBounds } from "./parse-json.js";

/** Longer lines are checked, decoded and parsed in separate turns of the event loop: 0.1 to 0.2 s each for 40 MB. */
const LONG_LINE_BYTES = 1024 * 1024;

/**
 * Parses a line of a file, after it has checked the bounds of its bytes.
 *
 * @param timeSlice - yields to the event loop between the steps of a long line.
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
