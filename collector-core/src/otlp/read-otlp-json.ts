import { ApiError } from "../api-schema/errors.js";
import type { Steps } from "../runtime/steps.js";
import { InvalidOtlpJson, readJsonInSteps } from "./read-json.js";
import { TooManyMessages } from "./message-budget.js";
import { TooDeepValue } from "./received-spans.js";
import { applicationsOf, mapInSteps, type MappedRequest } from "./spans-from-otlp.js";

/**
 * Reads and maps an OTLP request in JSON, in steps.
 *
 * @throws `ApiError` invalid_payload, too_deep, batch_too_large.
 */
export function* readOtlpJsonInSteps(body: unknown): Steps<MappedRequest> {
  try {
    const request = yield* readJsonInSteps(body);
    return yield* mapInSteps(request, yield* applicationsOf(request));
  } catch (error) {
    if (error instanceof InvalidOtlpJson) throw new ApiError("invalid_payload", error.message);
    if (error instanceof TooDeepValue)
      throw new ApiError("too_deep", "A value of an attribute is nested too deep.");
    if (error instanceof TooManyMessages) throw new ApiError("batch_too_large", error.message);
    throw error;
  }
}
