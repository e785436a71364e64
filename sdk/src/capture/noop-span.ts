import type { ManualSpan } from "./span-handle.js";

/** The span where nothing is recorded: takes everything, keeps nothing. */
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
    // Nothing was started.
  }
}

/** The one {@link NoopSpan}: it has no state. */
export const NOOP_SPAN: ManualSpan = new NoopSpan();
