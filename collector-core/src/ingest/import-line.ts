import { OTLP_JSON_BOUNDS, parseJson, requireJsonBounds } from "./parse-json.js";
import { decodeUtf8 } from "./request-body.js";

/**
 * The value of one line of a file. All that must be known of its bytes before a value is made of them is asked here.
 *
 * @throws `ApiError` invalid_json, invalid_encoding, too_deep, batch_too_large.
 */
export function parseImportLine(bytes: Buffer): unknown {
  requireJsonBounds(bytes, OTLP_JSON_BOUNDS);
  return parseJson(decodeUtf8(bytes).replace(/^\uFEFF/, ""));
}
