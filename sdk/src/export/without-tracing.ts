import { runInContext } from "../capture/context.js";

/** The parts of OpenTelemetry's global API that are used, where the app has it. */
interface OtelContext {
  setValue(key: symbol, value: unknown): OtelContext;
}
interface OtelContextApi {
  active(): OtelContext;
  with<T>(context: OtelContext, fn: () => T): T;
}

const OTEL_API = Symbol.for("opentelemetry.js.api.1");
const OTEL_SUPPRESS_TRACING = Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/**
 * Runs the exporter's own work outside every span, and where the app has OpenTelemetry, hidden from it: its HTTP
 * instrumentation would else make a span of every batch.
 */
export function withoutTracing<T>(fn: () => T): T {
  return runInContext(undefined, () => {
    const { context } = (globalThis as { [OTEL_API]?: { context?: OtelContextApi } })[OTEL_API] ?? {};
    return context === undefined
      ? fn()
      : context.with(context.active().setValue(OTEL_SUPPRESS_TRACING, true), fn);
  });
}
