import { ApiError } from "../api-schema/errors.js";

const RETRY_LATER = { "Retry-After": "5" } as const;

/** The disk has no room for work on the file. */
export class DiskFullError extends ApiError {
  constructor() {
    super(
      "trace_store_unavailable",
      "The disk of the trace store is full. Free some space on it, then try again.",
      {},
      RETRY_LATER,
    );
  }
}

/** The store cannot answer now. */
export function storeUnavailable(problem: string): ApiError {
  return new ApiError("trace_store_unavailable", problem, {}, RETRY_LATER);
}
