import {
  followLiveText,
  TextAccumulator,
  type ContextNode,
  type RecordedSpan,
} from "../../capture/integration.js";
import { countOf, elementsOf, field } from "../json-fields.js";
import { setFirstToken } from "../run-spans/run-span.js";
import type { ModelStream, Run } from "./run-tree.js";

/**
 * Decides who records a model call: a wrapped client underneath, or the handler. LangChain does not say which client a model
 * uses, so the handler waits until a client asks whether the call is recorded already (`isInModelSpan`).
 *
 * - A client that asks and starts a span records the call. The span of the run is not sent, and the client's span is a child
 *   of the run's parent.
 * - If nothing asks, the span of the run has the call.
 * - If other spans have started inside the run before, its span is kept as their parent, without the usage.
 *
 * @returns a function that tells whether a client records the call.
 */
export function shareModelCall(run: Run, span: RecordedSpan, parent: ContextNode | undefined): () => boolean {
  // With `live`, the start of the span is sent already.
  let isParent = span.runtime.config.live;
  let isAsked = false;
  let isClaimed = false;
  const { onEnd } = span;
  // A client below a span of OpenTelemetry does not read the context of the run, but takes the usage from its span.
  const isRecordedInside = (): boolean => isClaimed || span.onEnd !== onEnd;
  Object.assign(span, { isModelRun: true });
  Object.defineProperty(span, "ownsModelCall", {
    get: () => {
      isAsked = true;
      // The client starts its span in the same step.
      queueMicrotask(() => (isAsked = false));
      return undefined;
    },
  });
  run.node = {
    trace: span.trace,
    span,
    get spanId() {
      if (isAsked) isClaimed = true;
      else isParent = true;
      return isAsked && !isParent ? (parent?.spanId ?? "") : span.spanId;
    },
  };
  run.finish = () => {
    if (isClaimed && !isParent) return;
    // The span inside has the usage of the call.
    if (isRecordedInside()) span.spanType = "task";
    span.end();
  };
  return isRecordedInside;
}

/**
 * Follows the tokens of a stream.
 *
 * @param isRecordedInside - true if a client records the call, which then shows its text.
 */
export function followTokens(span: RecordedSpan, isRecordedInside: () => boolean): ModelStream {
  let startOutput: number | undefined;
  let extra = 0;
  const text = new TextAccumulator();
  const onText = followLiveText(span, {
    response: () => (isRecordedInside() ? undefined : text.toString()),
  });
  return {
    add(token, chunk) {
      if (onText !== undefined && typeof token === "string") {
        text.append(token);
        onText();
      }
      const message = field(chunk, "message");
      if (token !== "" || hasContent(message)) {
        span.setAttribute("stream", true);
        setFirstToken(span);
      }
      // Anthropic's first event has a provisional number of output tokens, its last event all of them. LangChain adds them up.
      const output = countOf(field(field(message, "usage_metadata"), "output_tokens"));
      if (output === undefined || span.attributes["provider"] !== "anthropic") return;
      if (startOutput !== undefined) extra = startOutput;
      startOutput ??= output;
    },
    extraOutputTokens: () => extra,
  };
}

function hasContent(message: unknown): boolean {
  return (
    elementsOf(field(message, "content")).length > 0 ||
    elementsOf(field(message, "tool_call_chunks")).length > 0 ||
    field(field(message, "additional_kwargs"), "reasoning_content") !== undefined
  );
}
