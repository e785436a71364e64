/**
 * Records the calls of the AI SDK (package `ai`), versions 5 to 7.
 *
 * @packageDocumentation
 */
export { registerAISDK } from "./register-ai-sdk.js";
export { obspanTracer } from "./obspan-tracer.js";
export type { ObspanTracer, ObspanTracerSpan } from "./tracer-interface.js";
