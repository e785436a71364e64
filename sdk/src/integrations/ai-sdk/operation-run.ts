import { currentContext, startSpan, stringifyValue, type ManualSpan } from "../../capture/integration.js";
import { field, textOf } from "../json-fields.js";
import type { ReadAttributes } from "../model-client/read-attributes.js";
import { EnteredContext } from "../run-spans/entered-context.js";
import { promptText } from "../wire/message-texts.js";
import { recordFailure } from "./failure.js";
import { modelMessages } from "./model-messages.js";
import { OpenModelCall } from "./open-model-call.js";

/** An embedding call that has not ended. */
export interface OpenEmbedding {
  readonly call: OpenModelCall;
  /** The values. A retry has the same. */
  readonly values: string;
}

/** The spans of one call of `generateText()`, `embed()` and the like that have not ended. */
export class OperationRun {
  readonly root: ManualSpan;
  /** The context that the operation started in. */
  readonly outside = EnteredContext.outside(currentContext());
  /** True if the app turned the recording of inputs or outputs off. */
  readonly hidesContent: boolean;
  step: ManualSpan | undefined;
  call: OpenModelCall | undefined;
  /** By the id of the tool call. */
  readonly tools = new Map<unknown, ManualSpan>();
  /** By the id of the embedding call. */
  readonly embeddings = new Map<unknown, OpenEmbedding>();
  /** The error that the stream of the last model call ended with. It passes through the spans around the call. */
  failure: { readonly error: unknown } | undefined;

  /** Called when the operation has ended. */
  onEnd: (() => void) | undefined;

  /**
   * @param operationId - `ai.generateText`, `ai.embed`, …
   * @param event - what started the operation.
   */
  constructor(operationId: string, event: unknown) {
    const functionId = textOf(field(event, "functionId"));
    const metadata = field(event, "metadata");
    const prompt = field(event, "messages") ?? field(event, "prompt");
    this.hidesContent = field(event, "recordInputs") === false || field(event, "recordOutputs") === false;
    this.root = startSpan({
      name: functionId ?? operationId.replace("ai.", ""),
      // Without a name of its own, the spans keep the name of the agent that they run in.
      spanType: functionId === undefined ? "task" : "agent",
      attributes: {
        input_text: promptText(modelMessages(undefined, prompt)) ?? stringifyValue(field(event, "value")),
        session_id: textOf(field(metadata, "sessionId")),
        user_id: textOf(field(metadata, "userId")),
      },
    });
  }

  /** The span that the next model call or tool belongs to. */
  get #parent(): ManualSpan {
    return this.step ?? this.root;
  }

  startStep(stepNumber: unknown): void {
    this.step?.end();
    const name = `step ${typeof stepNumber === "number" ? stepNumber + 1 : 1}`;
    this.step = this.root.run(() => startSpan({ name, spanType: "task" }));
  }

  startCall(attributes: ReadAttributes): OpenModelCall {
    return (this.call = new OpenModelCall(this.#parent, attributes, this.hidesContent));
  }

  /** Ends the model call with its response. */
  endCall(attributes: ReadAttributes): void {
    this.failure = this.call?.failure;
    this.call?.succeed(attributes);
    this.call = undefined;
  }

  startTool(toolCall: unknown): ManualSpan {
    const id = field(toolCall, "toolCallId");
    const span = this.#parent.run(() =>
      startSpan({
        name: textOf(field(toolCall, "toolName")) ?? "tool",
        spanType: "tool",
        attributes: { tool_call_id: id, input_text: stringifyValue(field(toolCall, "input")) },
      }),
    );
    this.tools.set(id, span);
    return span;
  }

  /** @param error - what the tool threw; undefined if it did not fail. */
  endTool(toolCall: unknown, output: unknown, error: unknown): void {
    const id = field(toolCall, "toolCallId");
    const span = this.tools.get(id);
    this.tools.delete(id);
    if (error !== undefined && span !== undefined) recordFailure(span, error, this.hidesContent);
    span?.setAttributes({ output_text: stringifyValue(output) }).end();
  }

  endStep(finishReason: unknown): void {
    if (this.step !== undefined) {
      this.#markFailure(this.step);
      this.step.setAttributes({ finish_reason: textOf(finishReason) }).end();
    }
    this.step = undefined;
  }

  failStep(error: unknown): void {
    if (this.call?.span.isRecording === true) this.call.fail(error);
    if (this.step?.isRecording !== true) return;
    this.#recordFailure(this.step, error);
    this.step.end();
  }

  /** Ends all spans with the result of the operation. */
  succeed(output: unknown): void {
    this.root.setAttributes({ output_text: stringifyValue(output) });
    this.#endAll(
      (call) => call.succeed({}),
      (span) => this.#markFailure(span),
    );
  }

  /** Ends all open spans with an error. */
  fail(error: unknown): void {
    this.#endAll(
      (call) => call.fail(error),
      (span) => this.#recordFailure(span, error),
    );
  }

  /** Ends all open spans of an operation that the app cancelled. */
  abort(): void {
    this.#endAll(
      (call) => call.abort(),
      (span) => span.setAttribute("aborted", true),
    );
  }

  /** Ends all open spans of an operation whose end nobody will report. */
  giveUp(): void {
    const failure = this.call?.failure;
    if (failure === undefined) this.abort();
    else this.fail(failure.error);
  }

  /** Records the error of the model call, if it failed: events may have a copy of it. */
  #recordFailure(span: ManualSpan, error: unknown): void {
    recordFailure(span, this.call?.failure?.error ?? error, this.hidesContent);
  }

  #markFailure(span: ManualSpan): void {
    if (this.failure !== undefined) recordFailure(span, this.failure.error, this.hidesContent);
  }

  /** The model call ends first: an error is recorded where it was thrown. */
  #endAll(endCall: (call: OpenModelCall) => void, mark: (span: ManualSpan) => unknown): void {
    const calls = [...[...this.embeddings.values()].map(({ call }) => call), this.call];
    for (const call of calls) if (call?.span.isRecording === true) endCall(call);
    for (const span of [...this.tools.values(), this.step, this.root]) {
      if (span?.isRecording !== true) continue;
      mark(span);
      span.end();
    }
    this.onEnd?.();
  }
}
