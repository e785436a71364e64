/**
 * Joins OpenTelemetry and the SDK in one trace: `@obspan/sdk/otel`.
 *
 * @packageDocumentation
 */
export { ObspanSpanProcessor } from "./span-processor.js";
export { obspanTracerProvider, type OtelTracer, type OtelTracerProvider } from "./tracer-provider.js";
