import { ApiError } from "../api-schema/errors.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { ReadJsonBody } from "../interfaces.js";
import { JsonScanner, type JsonBounds } from "../span/json-bounds.js";
import { decodeUtf8 } from "./decode-utf8.js";
import { MAX_DEPTH, parseJson } from "./parse-json.js";
import { createBodyReader } from "./request-body.js";

/**
 * The bodies of queries are lists of ids and maps of options. The largest valid body, an evaluation of 1,000 traces and 1,000
 * spans, has 6,000 keys and values. Validating 500,000 values would block the event loop for 0.15 s.
 */
const BOUNDS = { maxDepth: MAX_DEPTH, maxContainers: 10_000, maxValues: 10_000 } satisfies JsonBounds;

/**
 * Creates a reader of the JSON bodies of query routes. A large body is charged to the budget of the bodies with spans:
 * Fastify would hold the bodies of all connections beside it.
 *
 * @param maxBodyBytes - maximum size, before and after decompression.
 */
export function createJsonBodyReader(maxBodyBytes: number, budget: ByteAccount): ReadJsonBody {
  const tooLarge = (): ApiError =>
    new ApiError(
      "body_too_large",
      `The body is too large for this path; the limit is ${maxBodyBytes} bytes.`,
      {
        max_body_bytes: maxBodyBytes,
      },
    );
  const readBody = createBodyReader({ maxBodyBytes, budget, tooLarge });
  return (request) =>
    readBody(request, (body) => {
      if (new JsonScanner().exceededBound(body, BOUNDS) !== undefined) throw tooManyParts();
      return parseJson(decodeUtf8(body));
    });
}

function tooManyParts(): ApiError {
  const { maxDepth, maxContainers, maxValues } = BOUNDS;
  return new ApiError(
    "invalid_payload",
    `The body is nested deeper than ${maxDepth} levels, or has more than ${maxContainers} objects and arrays, or more than ` +
      `${maxValues} keys and values.`,
    { max_depth: maxDepth, max_objects_and_arrays: maxContainers, max_keys_and_values: maxValues },
  );
}
