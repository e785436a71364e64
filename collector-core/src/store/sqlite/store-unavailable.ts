import { ApiError } from "../../api-schema/errors.js";

const RETRY_LATER = { "Retry-After": "5" } as const;

/** The store cannot answer now. */
export function storeUnavailable(problem: string): ApiError {
  return new ApiError("trace_store_unavailable", problem, {}, RETRY_LATER);
}
