/**
 * Records the runs of the OpenAI Agents SDK.
 *
 * @packageDocumentation
 */
export { ObspanTraceProcessor } from "./trace-processor.js";
