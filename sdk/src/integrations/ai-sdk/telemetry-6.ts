import { currentContext, isInModelSpan, isRecording } from "../../capture/integration.js";
import { setTimeout } from "../../platform/timers.js";
import { field } from "../json-fields.js";
import { enterSpan } from "../run-spans/entered-context.js";
import { followRequests } from "./call-requests.js";
import { requestAttributes, responseAttributes } from "./open-model-call.js";
import { OperationRun } from "./operation-run.js";
import type { TelemetryCallbacks } from "./telemetry-callbacks.js";
import { tracerSpanOf } from "./tracer-span.js";

/** Ends the spans of an operation whose end is never reported, and whose requests say nothing of an error. */
const unreported = new FinalizationRegistry<() => void>((end) => end());

/**
 * The telemetry of one operation of AI SDK 6, which has events for steps and tools. A step starts with its model call. The
 * call ends when a tool starts, or with the step.
 */
export function createTelemetry6(): TelemetryCallbacks {
  let start: unknown;
  let run: OperationRun | undefined;
  let isIgnored = false;

  /**
   * The spans of the operation. They start with the first step: only then it is known whether the call has a tracer of
   * `obspanTracer()`, which records more.
   */
  function startedRun(): OperationRun | undefined {
    isIgnored ||= run === undefined && tracerSpanOf(currentContext()?.span) !== undefined;
    if (!isIgnored && run === undefined) {
      run = new OperationRun("generate", start);
      abortWith(field(start, "abortSignal"), run);
    }
    return run;
  }

  return {
    onStart(event, lifetime) {
      start = event;
      isIgnored = !isRecording() || isInModelSpan();
      unreported.register(lifetime, () => run?.giveUp());
    },
    onStepStart(event) {
      const started = startedRun();
      if (started === undefined) return;
      started.startStep(field(event, "stepNumber"));
      // Their schemas may be functions, which are not called.
      const tools = Object.entries(Object(field(event, "tools")) as object).map(([name, tool]) => ({
        name,
        description: field(tool, "description"),
      }));
      const request = {
        ...Object(start),
        ...Object(event),
        ...Object(field(event, "model")),
        tools,
      } as object;
      const call = started.startCall(requestAttributes(request));
      followRequests(started, call, field(start, "maxRetries"));
      enterSpan(started, call.span);
    },
    onToolCallStart(event) {
      const started = startedRun();
      if (started === undefined) return;
      started.call?.finishedAt(performance.now());
      enterSpan(started, started.startTool(field(event, "toolCall")));
    },
    onToolCallFinish(event) {
      const error = field(event, "success") === false ? (field(event, "error") ?? "error") : undefined;
      run?.endTool(field(event, "toolCall"), field(event, "output"), error);
    },
    onStepFinish(event) {
      if (run === undefined) return;
      const response = field(event, "response");
      run.endCall({
        model: field(response, "modelId"),
        response_id: field(response, "id"),
        ...responseAttributes(event, field(event, "content")),
      });
      run.endStep(field(event, "finishReason"));
      enterSpan(run, run.root);
    },
    onFinish: (event) => run?.succeed(field(event, "text")),
  };
}

/** Ends an operation that the app cancels between its requests. A request that is cancelled tells its error first. */
function abortWith(signal: unknown, run: OperationRun): void {
  if (!(signal instanceof AbortSignal)) return;
  const onAbort = (): void => void setTimeout(() => run.abort(), 0);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  run.onEnd = () => signal.removeEventListener("abort", onAbort);
}
