/** A span in the shape of OpenTelemetry's `Span`. */
export interface ObspanTracerSpan {
  spanContext(): { traceId: string; spanId: string; traceFlags: number };
  setAttribute(key: string, value: unknown): this;
  setAttributes(attributes: object): this;
  addEvent(name: string, attributes?: unknown, time?: unknown): this;
  addLink(link: unknown): this;
  addLinks(links: unknown): this;
  setStatus(status: { readonly code: number; readonly message?: string | undefined }): this;
  updateName(name: string): this;
  isRecording(): boolean;
  recordException(exception: unknown, time?: unknown): void;
  end(time?: unknown): void;
}

/** A tracer in the shape of OpenTelemetry's `Tracer`, for `experimental_telemetry.tracer`. */
export interface ObspanTracer {
  startSpan(name: string, options?: object, context?: unknown): ObspanTracerSpan;
  startActiveSpan<F extends (span: never) => unknown>(name: string, fn: F): ReturnType<F>;
  startActiveSpan<F extends (span: never) => unknown>(name: string, options: object, fn: F): ReturnType<F>;
  startActiveSpan<F extends (span: never) => unknown>(
    name: string,
    options: object,
    context: unknown,
    fn: F,
  ): ReturnType<F>;
}
