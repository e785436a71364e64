import { currentContext, enterContext, type ManualSpan } from "../../capture/integration.js";

/** Makes a span the current span for the rest of the calling asynchronous function. */
export function enterSpan(span: ManualSpan): void {
  const node = span.run(currentContext);
  if (span.isRecording && node !== undefined) enterContext(node);
}
