import { isInModelSpan, isRecording } from "../../capture/integration.js";
import { countOf, elementsOf, field, textOf } from "../json-fields.js";
import { enterSpan } from "../run-spans/entered-context.js";
import { OpenModelCall, requestAttributes, responseAttributes } from "./open-model-call.js";
import { OperationRun } from "./operation-run.js";
import type { Telemetry7, TelemetryCallbacks } from "./telemetry-callbacks.js";

/**
 * The telemetry of AI SDK 7. Each event has the id of its operation. Embeddings and the deprecated object functions have no
 * hook around the call: the callback directly before it binds the context.
 */
export function createTelemetry7(): Telemetry7 {
  /** The operations that run, by id: no more than the app has. */
  const runs = new Map<unknown, OperationRun>();
  const runOf = (event: unknown): OperationRun | undefined => runs.get(field(event, "callId"));
  const close = (callId: unknown, end: (run: OperationRun) => void): void => {
    const run = runs.get(callId);
    runs.delete(callId);
    if (run !== undefined) end(run);
  };
  const abort = (callId: unknown): void => close(callId, (run) => run.abort());
  /** Ends the spans of an operation whose end is never reported, when the operation is garbage-collected. */
  const unreported = new FinalizationRegistry<unknown>(abort);

  const callbacks: TelemetryCallbacks = {
    onStart(event, lifetime) {
      if (!isRecording() || isInModelSpan()) return;
      const callId = field(event, "callId");
      runs.set(callId, new OperationRun(textOf(field(event, "operationId")) ?? "operation", event));
      unreported.register(lifetime, callId);
    },
    onStepStart: (event) => runOf(event)?.startStep(field(event, "stepNumber")),
    onLanguageModelCallStart(event) {
      const run = runOf(event);
      // A stream that is retried starts the call again.
      if (run?.call?.failure === undefined) run?.startCall(requestAttributes(event));
    },
    onLanguageModelCallEnd: (event) =>
      runOf(event)?.endCall({
        model: field(event, "modelId"),
        response_id: field(event, "responseId"),
        ...responseAttributes(event, field(event, "content")),
      }),
    onToolExecutionStart: (event) => runOf(event)?.startTool(field(event, "toolCall")),
    onToolExecutionEnd(event) {
      const result = field(event, "toolOutput");
      const error = field(result, "type") === "tool-error" ? (field(result, "error") ?? "error") : undefined;
      runOf(event)?.endTool(field(event, "toolCall"), field(result, "output"), error);
    },
    onStepEnd: (event) => runOf(event)?.endStep(field(event, "finishReason")),
    onStepError: (event) => runOf(event)?.failStep(field(event, "error")),
    onObjectStepStart(event) {
      const run = runOf(event);
      if (run !== undefined) enterSpan(run, run.startCall(requestAttributes(event)).span);
    },
    onObjectStepEnd(event) {
      const run = runOf(event);
      if (run === undefined) return;
      const firstChunkMs = field(event, "msToFirstChunk");
      const response = field(event, "response");
      run.endCall({
        model: field(response, "modelId"),
        response_id: field(response, "id"),
        stream: firstChunkMs !== undefined || undefined,
        ttft_ms: firstChunkMs,
        ...responseAttributes(event, [{ type: "text", text: field(event, "objectText") }]),
      });
      enterSpan(run, run.root);
    },
    onEmbedStart(event) {
      const run = runOf(event);
      if (run === undefined) return;
      const values = elementsOf(field(event, "values")).join("\n");
      // A retry starts the call again, with the same values.
      const [earlierId, earlier] = [...run.embeddings].find(([, open]) => open.values === values) ?? [];
      run.embeddings.delete(earlierId);
      const attributes = { ...requestAttributes(event), prompt_text: textOf(values) };
      const call = earlier?.call ?? new OpenModelCall(run.root, attributes, run.hidesContent, "embedding");
      call.startAttempt();
      run.embeddings.set(field(event, "embedCallId"), { call, values });
      enterSpan(run, call.span);
    },
    onEmbedEnd(event) {
      const run = runOf(event);
      const id = field(event, "embedCallId");
      run?.embeddings
        .get(id)
        ?.call.succeed({ tokens_input: countOf(field(field(event, "usage"), "tokens")) });
      run?.embeddings.delete(id);
      if (run !== undefined) enterSpan(run, run.root);
    },
    onEnd(event) {
      close(field(event, "callId"), (run) => {
        // streamObject() reports an object that does not fit its schema here.
        const error = field(event, "error") ?? undefined;
        if (error === undefined) run.succeed(field(event, "text") ?? field(event, "object"));
        else run.fail(error);
      });
    },
    onAbort: (event) => abort(field(event, "callId")),
    onError: (event) => close(field(event, "callId"), (run) => run.fail(field(event, "error"))),
  };

  return {
    callbacks,
    executeLanguageModelCall: ({ callId, execute }) => runs.get(callId)?.call?.attempt(execute) ?? execute(),
    executeTool: ({ callId, toolCallId, execute }) =>
      runs.get(callId)?.tools.get(toolCallId)?.run(execute) ?? execute(),
  };
}
