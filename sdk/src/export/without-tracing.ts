import { runInContext } from "../span/context.js";

/** The part of OpenTelemetry's global API that is used. */
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
 * Runs the exporter's own work outside every span. If the app uses OpenTelemetry, its tracing is suppressed: otherwise its
 * HTTP instrumentation would record a span for every batch.
 */
export function withoutTracing<T>(fn: () => T): T {
  return runInContext(undefined, () => {
    const { context } = (globalThis as { [OTEL_API]?: { context?: OtelContextApi } })[OTEL_API] ?? {};
    return context === undefined
      ? fn()
      : context.with(context.active().setValue(OTEL_SUPPRESS_TRACING, true), fn);
  });
}
