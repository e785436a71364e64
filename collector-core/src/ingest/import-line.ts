import { OTLP_JSON_BOUNDS, parseJson, requireJsonBounds } from "./parse-json.js";
import { decodeUtf8 } from "./request-body.js";

/** From here on a line is looked at, decoded and parsed in turns of their own: of 40 MB each step takes 0.1 to 0.2 s. */
const LONG_LINE_BYTES = 1024 * 1024;

/**
 * The value of one line of a file. All that must be known of its bytes before a value is made of them is asked here.
 *
 * @param nextTurn - lets everything else have its turn, between the steps of a long line.
 * @throws `ApiError` invalid_json, invalid_encoding, too_deep, batch_too_large.
 */
export async function parseImportLine(bytes: Buffer, nextTurn: () => Promise<void>): Promise<unknown> {
  const isLong = bytes.byteLength >= LONG_LINE_BYTES;
  requireJsonBounds(bytes, OTLP_JSON_BOUNDS);
  if (isLong) await nextTurn();
  const text = decodeUtf8(bytes).replace(/^\uFEFF/, "");
  if (isLong) await nextTurn();
  const json = parseJson(text);
  if (isLong) await nextTurn();
  return json;
}
