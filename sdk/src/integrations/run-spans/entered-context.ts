import {
  enterContext,
  newTrace,
  type ContextNode,
  type ManualSpan,
  type RecordedSpan,
} from "../../capture/integration.js";

/** What a context reads of a span of a framework. */
export interface EnteredSpan {
  readonly parent: EnteredSpan | undefined;
  readonly span: ManualSpan | undefined;
  /** The context outside of the framework. */
  readonly outside: ContextNode | undefined;
  readonly isEnded: boolean;
}

/**
 * The context of code that runs after a framework has reported the start of a span. Nothing leaves the context at the end of
 * the span. So it is that of the innermost span that has not ended, and the one outside of the framework after the last.
 */
export class EnteredContext implements ContextNode {
  readonly #entered: EnteredSpan;

  constructor(entered: EnteredSpan) {
    this.#entered = entered;
  }

  /** A context without those of spans that have ended. */
  static outside(node: ContextNode | undefined): ContextNode | undefined {
    return node instanceof EnteredContext ? node.#node() : node;
  }

  get trace(): ContextNode["trace"] {
    // Outside every span, each root span starts a trace of its own.
    return this.#node()?.trace ?? newTrace();
  }

  get spanId(): string {
    return this.#node()?.spanId ?? "";
  }

  get span(): ContextNode["span"] {
    return this.#node()?.span;
  }

  #node(): ContextNode | undefined {
    for (let open: EnteredSpan | undefined = this.#entered; open !== undefined; open = open.parent) {
      const { isEnded, span } = open;
      if (!isEnded && span !== undefined && isRecorded(span)) return span;
    }
    return this.#entered.outside;
  }
}

/** A span that records is of the class, perhaps in another copy of the package, and its own context. */
function isRecorded(span: ManualSpan): span is RecordedSpan {
  return span.isRecording;
}

/** A span around others, such as a call of an agent, and the context that it started in. */
export interface Operation {
  readonly root: ManualSpan;
  readonly outside: ContextNode | undefined;
}

/**
 * Makes a span of an operation the current span for the rest of the calling asynchronous function: the root of the operation
 * once the span has ended, and what is outside of the operation once the root has.
 */
export function enterSpan({ root, outside }: Operation, span: ManualSpan): void {
  if (!span.isRecording) return;
  const operation = { parent: undefined, span: root, outside, isEnded: false };
  enterContext(new EnteredContext({ ...operation, parent: operation, span }));
}
