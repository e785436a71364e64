import { ApiError } from "../api-schema/errors.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { ReadJsonBody } from "../interfaces.js";
import { exceededBound, type JsonBounds } from "../span/json-bounds.js";
import { decodeUtf8 } from "./decode-utf8.js";
import { MAX_DEPTH, parseJson } from "./parse-json.js";
import { createBodyReader } from "./request-body.js";

/** The bodies of queries are lists of ids and maps of options. */
const BOUNDS: JsonBounds = { maxDepth: MAX_DEPTH, maxContainers: 10_000 };

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
      if (exceededBound(body, BOUNDS) !== undefined) throw tooManyParts();
      return parseJson(decodeUtf8(body));
    });
}

function tooManyParts(): ApiError {
  const { maxDepth, maxContainers } = BOUNDS;
  return new ApiError(
    "invalid_payload",
    `The body is nested deeper than ${maxDepth} levels, or has more than ${maxContainers} objects and arrays or too many keys.`,
    { max_depth: maxDepth, max_objects_and_arrays: maxContainers },
  );
}
