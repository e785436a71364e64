import { currentContext, type ContextNode, type ManualSpan } from "../../capture/integration.js";
import { AsyncLocalStorage } from "../../platform/async-local-storage.js";
import { processWide } from "../../process-wide.js";

const storage = processWide("context", () => new AsyncLocalStorage<ContextNode | undefined>());

/**
 * Prepares {@link enterSpan}. Node 20 and 22 follow the context of promises only after the first use of a storage: a span
 * that is entered before would stay current in the whole process.
 */
export function prepareEntering(): void {
  storage.enterWith(storage.getStore());
}

/**
 * Makes a span the current span for the rest of the calling asynchronous function. The AI SDK offers no hook around some of
 * its calls, but waits for a callback directly before them: what such a callback enters holds for the call.
 */
export function enterSpan(span: ManualSpan): void {
  const node = span.run(currentContext);
  if (span.isRecording && node !== undefined) storage.enterWith(node);
}
