import type { ManualSpan } from "./span-handle.js";

/** The span that callers get if nothing is recorded. Every method does nothing. */
class NoopSpan implements ManualSpan {
  readonly traceId = "";
  readonly spanId = "";
  readonly isRecording = false;

  setAttribute(): this {
    return this;
  }
  setAttributes(): this {
    return this;
  }
  addEvent(): this {
    return this;
  }
  setStatus(): this {
    return this;
  }
  recordError(): this {
    return this;
  }
  run<T>(fn: () => T): T {
    return fn();
  }
  end(): void {
    // There is nothing to end.
  }
}

/** The only instance: it has no state. */
export const NOOP_SPAN: ManualSpan = new NoopSpan();
