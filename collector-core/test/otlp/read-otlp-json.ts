import { readOtlpJsonInSteps } from "../../src/otlp/read-otlp-json.js";
import type { MappedRequest } from "../../src/otlp/spans-from-otlp.js";
import { runAtOnce } from "../../src/runtime/steps.js";

/** Reads and maps an OTLP request in JSON at once. */
export function readOtlpJson(body: unknown): MappedRequest {
  return runAtOnce(readOtlpJsonInSteps(body));
}
