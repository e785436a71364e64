import { parseJson } from "./parse-json.js";
import { decodeUtf8 } from "./request-body.js";

/**
 * The value of one line of a file. All that must be known of its bytes before a value is made of them is asked here.
 *
 * @throws `ApiError` invalid_json, invalid_encoding.
 */
export function parseImportLine(bytes: Buffer): unknown {
  return parseJson(decodeUtf8(bytes).replace(/^\uFEFF/, ""));
}
