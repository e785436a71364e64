import {
  currentContext,
  enterContext,
  isInModelSpan,
  isRecording,
  prepareEntering,
  startModelSpan,
  startSpan,
  type ContextNode,
  type ManualSpan,
  type ModelSpan,
} from "../../capture/integration.js";
import { flush } from "../../runtime/delivery.js";
import { field, textOf } from "../json-fields.js";
import { EnteredContext } from "../run-spans/entered-context.js";
import { callAttributes, requestAttributes, responseAttributes } from "./span-attributes.js";
import { spanKind } from "./span-kinds.js";

/** Most spans that have started and not ended. The oldest ends as aborted. */
const MAX_OPEN = 10_000;

/** A span of Mastra that has not ended. */
interface OpenSpan {
  readonly parent: OpenSpan | undefined;
  /** The span that children belong to: that of the parent if this one is not recorded. Undefined if nothing is recorded. */
  readonly span: ManualSpan | undefined;
  readonly isOwn: boolean;
  /** The context outside of Mastra that the first span of the trace started in. */
  readonly outside: ContextNode | undefined;
  /** True once Mastra has ended it. */
  isEnded: boolean;
  /** The same span, if it is a model call. */
  readonly call: ModelSpan | undefined;
  /** What Mastra exported last. */
  exported: unknown;
  /** The model call of a step while it is open. */
  inference: OpenSpan | undefined;
  /** On the first span of a trace: the error that was recorded last. */
  error: Error | undefined;
  /** Calls inside it that failed. Mastra tells the error only at the end of the agent. */
  readonly failed: FailedSpan[];
}

interface FailedSpan {
  readonly span: ManualSpan;
  readonly endMs: number;
}

/**
 * Records what Mastra runs: agents, workflows, steps, model calls and tools. Use it as the bridge of the observability
 * configuration, so that what runs inside a span becomes its child. As one of its exporters it records the same, and joins
 * what runs inside model calls, tools and workflow steps.
 *
 * @example
 * ```ts
 * import { configure } from "@obspan/sdk";
 * import { ObspanExporter } from "@obspan/sdk/mastra";
 *
 * configure({ service: "shop", pushUrl: "http://127.0.0.1:8080" });
 * const configs = { default: { serviceName: "shop", bridge: new ObspanExporter() } };
 * // new Mastra({ agents, observability: new Observability({ configs }) });
 * ```
 */
export class ObspanExporter {
  readonly name = "obspan";
  readonly #open = new Map<string, OpenSpan>();
  /** A bridge runs what belongs to a span. An exporter enters its context instead. */
  #isBridge = false;

  constructor() {
    prepareEntering();
  }

  /** Called by Mastra with every span that starts, changes or ends. Never throws. */
  async exportTracingEvent(event: { readonly type: string; readonly exportedSpan: object }): Promise<void> {
    try {
      const exported = event.exportedSpan;
      const id = String(field(exported, "id"));
      if (event.type === "span_started") this.#start(id, exported);
      const open = this.#open.get(id);
      if (open === undefined) return;
      open.exported = exported;
      if (event.type === "span_ended") this.#end(id, open);
    } catch {
      // Recording must not disturb the app.
    }
    await Promise.resolve();
  }

  /** Called by Mastra to run what belongs to a span. */
  async executeInContext<T>(spanId: string, fn: () => Promise<T>): Promise<T> {
    return await this.executeInContextSync(spanId, fn);
  }

  /** Called by Mastra to run what belongs to a span. */
  executeInContextSync<T>(spanId: string, fn: () => T): T {
    const open = this.#open.get(spanId);
    const span = (open?.inference ?? open)?.span;
    return span === undefined ? fn() : span.run(fn);
  }

  /** Called by Mastra. Its spans keep the ids that it gives them. */
  createSpan(): undefined {
    this.#isBridge = true;
    return undefined;
  }

  /** Called by Mastra for a span that ends without being exported. */
  releaseSpan(spanId: string): void {
    const open = this.#open.get(spanId);
    this.#open.delete(spanId);
    if (open !== undefined) open.isEnded = true;
    for (const { span } of open?.failed ?? []) span.setStatus("ERROR").end();
    if (open?.isOwn === true) open.span?.end();
  }

  /** Sends the recorded spans. */
  async flush(): Promise<void> {
    await flush();
  }

  /** Sends the recorded spans. The SDK stays usable. */
  async shutdown(): Promise<void> {
    await flush();
  }

  #start(id: string, exported: object): void {
    const parent = this.#open.get(String(field(exported, "parentSpanId")));
    if (parent === undefined && (!isRecording() || isInModelSpan())) return;
    const { spanType, name } = spanKind(exported);
    const isModelCall = spanType === "llm" || spanType === "embedding";
    const start = (): ManualSpan | undefined => {
      if (spanType === undefined) return parent?.span;
      const attributes = isModelCall
        ? requestAttributes(exported, parent?.parent?.exported)
        : callAttributes(exported);
      return isModelCall
        ? startModelSpan({ name, spanType, attributes })
        : startSpan({ name, spanType, attributes });
    };
    const span = parent?.span === undefined ? start() : parent.span.run(start);
    const open: OpenSpan = {
      parent,
      span,
      isOwn: spanType !== undefined,
      outside: parent === undefined ? EnteredContext.outside(currentContext()) : parent.outside,
      isEnded: false,
      call: isModelCall ? (span as ModelSpan) : undefined,
      exported,
      inference: undefined,
      error: undefined,
      failed: [],
    };
    if (parent !== undefined) {
      if (spanType === "llm") parent.inference = open;
      // The first part of a stream.
      if (field(exported, "type") === "model_chunk") parent.call?.markFirstToken();
    }
    const [oldest] = this.#open.size >= MAX_OPEN ? this.#open.keys() : [];
    if (oldest !== undefined) this.releaseSpan(oldest);
    this.#open.set(id, open);
    // Mastra calls the exporter directly before the model, the tool or the step, and in its context.
    if (
      !this.#isBridge &&
      (isModelCall || spanType === "tool" || field(exported, "type") === "workflow_step")
    )
      enterContext(new EnteredContext(open));
  }

  #end(id: string, open: OpenSpan): void {
    this.#open.delete(id);
    open.isEnded = true;
    const { exported, parent, span } = open;
    if (parent?.inference === open) parent.inference = undefined;
    const error = errorOf(open);
    for (const failed of open.failed) {
      if (error !== undefined || parent === undefined) {
        if (error === undefined) failed.span.setStatus("ERROR");
        else failed.span.recordError(error);
        (failed.span as ModelSpan).endAt(failed.endMs);
      } else parent.failed.push(failed);
    }
    if (!open.isOwn || span === undefined) return;
    const attributes = field(exported, "attributes");
    span.setAttributes(
      open.call === undefined
        ? callAttributes(exported)
        : responseAttributes(exported, field(parent?.exported, "input")),
    );
    if (error !== undefined) span.recordError(error);
    if (field(attributes, "success") === false) span.setStatus("ERROR");
    const hasFailed = field(attributes, "finishReason") === "error" && error === undefined;
    if (hasFailed && parent !== undefined) parent.failed.push({ span, endMs: performance.now() });
    else span.end();
  }
}

/** The error of a span. Mastra gives each span a copy of it: one that passes through several spans counts once. */
function errorOf(open: OpenSpan): Error | undefined {
  const info = field(open.exported, "errorInfo") ?? undefined;
  if (info === undefined) return undefined;
  let root = open;
  while (root.parent !== undefined) root = root.parent;
  const message = textOf(field(info, "message")) ?? "";
  if (root.error?.message !== message) {
    root.error = new Error(message);
    root.error.name = textOf(field(info, "name")) ?? "Error";
    root.error.stack = textOf(field(info, "stack")) ?? "";
  }
  return root.error;
}
