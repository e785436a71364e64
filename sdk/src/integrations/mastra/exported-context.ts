import { newTrace, type ContextNode, type ManualSpan, type RecordedSpan } from "../../capture/integration.js";

/** What a context reads of a span of Mastra. */
interface ExportedSpan {
  readonly parent: ExportedSpan | undefined;
  readonly span: ManualSpan | undefined;
  readonly outside: ContextNode | undefined;
  readonly isEnded: boolean;
}

/**
 * The context of code that runs after Mastra has reported the start of a span. Nothing leaves the context at the end of the
 * span. So it is that of the innermost span that has not ended, and the one outside of Mastra after the last.
 */
export class ExportedContext implements ContextNode {
  readonly #exported: ExportedSpan;

  constructor(exported: ExportedSpan) {
    this.#exported = exported;
  }

  /** A context without those of spans that have ended. */
  static outside(node: ContextNode | undefined): ContextNode | undefined {
    return node instanceof ExportedContext ? node.#node() : node;
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
    for (let open: ExportedSpan | undefined = this.#exported; open !== undefined; open = open.parent) {
      const { isEnded, span } = open;
      if (!isEnded && span !== undefined && isRecorded(span)) return span;
    }
    return this.#exported.outside;
  }
}

/** A span that records is of the class, perhaps in another copy of the package, and its own context. */
function isRecorded(span: ManualSpan): span is RecordedSpan {
  return span.isRecording;
}
