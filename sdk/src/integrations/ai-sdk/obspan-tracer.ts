import { currentContext } from "../../capture/integration.js";
import { field } from "../json-fields.js";
import type { ObspanTracer } from "./tracer-interface.js";
import { isModelCall, startTracedOperation, type TracedOperation } from "./tracer-operations.js";
import { TracerSpan, tracerSpanOf } from "./tracer-span.js";

const tracer: ObspanTracer = {
  startSpan: startTracerSpan,
  startActiveSpan: (name: string, ...rest: unknown[]) => {
    const fn = rest.at(-1) as (span: TracerSpan) => unknown;
    const span = startTracerSpan(name, rest.length > 1 ? rest[0] : undefined);
    return span.run(() => fn(span));
  },
};

/**
 * The tracer for calls of AI SDK 5, which has no hook for a whole process: every call turns its telemetry on and names the
 * tracer. Also for version 6, where it records more than {@link registerAISDK}: embeddings and objects. Use both: a call with
 * the tracer is recorded once.
 *
 * `functionId` is the name of the agent. `metadata.sessionId` and `metadata.userId` are session and user.
 *
 * @example
 * ```ts
 * import { obspanTracer } from "@obspan/sdk/ai-sdk";
 *
 * const experimental_telemetry = { isEnabled: true, tracer: obspanTracer() };
 * // await generateText({ model, prompt, experimental_telemetry });
 * ```
 */
export function obspanTracer(): ObspanTracer {
  return tracer;
}

/**
 * Starts a span as a child of the current one. Streams run tools in the context of the model call, which they do not belong
 * to. A further attempt of a model call continues its span.
 */
function startTracerSpan(name: string, options: unknown): TracerSpan {
  let parent = tracerSpanOf(currentContext()?.span);
  if (parent?.operation.call !== undefined) parent = parent.parent;
  const attributes = Object(field(options, "attributes")) as object;
  const retried = isModelCall(name) ? parent?.takeFailedCall() : undefined;
  if (retried !== undefined) return retried;
  const start = (): TracedOperation => startTracedOperation(name, attributes);
  return new TracerSpan(parent?.span.run(start) ?? start(), parent).setAttributes(attributes);
}
