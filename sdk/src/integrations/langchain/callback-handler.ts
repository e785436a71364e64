import {
  capturesCompletion,
  capturesPrompt,
  currentContext,
  enterContext,
  prepareEntering,
  stringifyValue,
  type RecordedSpan,
  type SpanAttributes,
} from "../../capture/integration.js";
import { countOf, elementsOf, field, member, numberOf, textOf } from "../json-fields.js";
import { recordSafely } from "../run-spans/run-span.js";
import { followFunctions } from "./function-context.js";
import { lastMessageOr } from "./messages.js";
import { chatPrompt, requestAttributes, resultAttributes } from "./model-attributes.js";
import { followTokens, shareModelCall } from "./model-run.js";
import { endRun, openRun, startRun, type RunStart } from "./run-tree.js";

/** The name that tells this handler from others. */
export const HANDLER_NAME = "obspan_callback_handler";

/** What LangChain throws to leave a graph: it waits for a person, or another graph goes on. */
const NOT_FAILED = new Set(["GraphInterrupt", "NodeInterrupt", "ParentCommand", "GraphBubbleUp"]);

/**
 * Records the runs of LangChain and LangGraph as spans: chains, graphs and their nodes, agents, model calls, tools and
 * retrievers. Pass it where LangChain takes callbacks. Several handlers in one app record each run once.
 *
 * Where the client of a model is wrapped as well (`wrapOpenAI`, `wrapAnthropic`), the client records the model call, inside
 * the span of the chain.
 *
 * @example
 * ```ts
 * await agent.invoke({ messages }, { callbacks: [new ObspanCallbackHandler()] });
 * ```
 */
export class ObspanCallbackHandler {
  readonly name = HANDLER_NAME;
  /** LangChain waits for the callbacks, which only take notes, instead of calling them later in the background. */
  readonly awaitHandlers = true;
  readonly raiseError = false;
  readonly ignoreLLM = false;
  readonly ignoreChain = false;
  readonly ignoreAgent = false;
  readonly ignoreRetriever = false;

  constructor() {
    prepareEntering();
  }

  /** Tells LangChain to call the `_createRunFor…Start` methods, which run in the context of the run itself. */
  _addRunToRunMap(): void {}

  _createRunForChainStart(...[chain, inputs, id, parentId, tags, metadata, runType, name]: unknown[]): void {
    this.#start(chain, { id, parentId, tags, metadata, name }, "task", () => ({
      ...(runType !== undefined && runType !== null && { run_type: runType }),
      ...inputText(inputs),
      langgraph_node: textOf(field(metadata, "langgraph_node")),
      langgraph_step: numberOf(field(metadata, "langgraph_step")),
    }));
  }

  _createRunForToolStart(...[tool, input, id, parentId, tags, metadata, name, callId]: unknown[]): void {
    this.#start(tool, { id, parentId, tags, metadata, name }, "tool", () => ({
      ...inputText(input),
      tool_call_id: textOf(callId),
    }));
  }

  _createRunForRetrieverStart(...[retriever, query, id, parentId, tags, metadata, name]: unknown[]): void {
    const span = this.#start(retriever, { id, parentId, tags, metadata, name }, "retrieval", () =>
      inputText(query),
    );
    if (span !== undefined) enterContext(span);
  }

  _createRunForChatModelStart(...[model, messages, ...rest]: unknown[]): void {
    this.#startModel(model, rest, () => chatPrompt(elementsOf(messages)[0]));
  }

  _createRunForLLMStart(...[model, prompts, ...rest]: unknown[]): void {
    this.#startModel(model, rest, () => ({ prompt_text: textOf(elementsOf(prompts)[0]) }));
  }

  // Versions of LangChain that do not call the methods above call these. Otherwise the run has started already.
  handleChainStart(...args: unknown[]): void {
    this._createRunForChainStart(...args);
  }

  handleToolStart(...args: unknown[]): void {
    this._createRunForToolStart(...args);
  }

  handleRetrieverStart(...args: unknown[]): void {
    this._createRunForRetrieverStart(...args);
  }

  handleChatModelStart(...args: unknown[]): void {
    this._createRunForChatModelStart(...args);
  }

  handleLLMStart(...args: unknown[]): void {
    this._createRunForLLMStart(...args);
  }

  handleLLMNewToken(token: string, _index: unknown, id: string, ...rest: unknown[]): void {
    recordSafely(() => openRun(id)?.stream?.add(token, field(rest[2], "chunk")));
  }

  handleLLMEnd(output: unknown, id: string, _parentId?: string, _tags?: unknown, extra?: unknown): void {
    endRun(id, (span, { stream }) => {
      const { tokens_output: tokens, ...attributes } = resultAttributes(output);
      const extraTokens = stream?.extraOutputTokens() ?? 0;
      span.setAttributes({
        ...attributes,
        tokens_output: tokens === undefined ? undefined : tokens - extraTokens,
      });
      // A result from LangChain's cache repeats the usage of the call that made it.
      if (field(extra, "cached") === true) {
        span.setAttributes({ cache_hit: true, tokens_input: 0, tokens_output: 0 });
      }
    });
  }

  handleChainEnd(output: unknown, id: string): void {
    endRun(id, (span) => span.setAttributes(outputText(output)));
  }

  handleToolEnd(output: unknown, id: string): void {
    endRun(id, (span) => {
      span.setAttributes(outputText(output));
      if (field(output, "status") === "error") span.setStatus("ERROR");
    });
  }

  handleRetrieverEnd(documents: unknown, id: string): void {
    endRun(id, (span) =>
      span.setAttributes({
        documents: countOf(elementsOf(documents).length),
        ...(capturesCompletion() && { output_text: stringifyValue(elementsOf(documents).map(toDocument)) }),
      }),
    );
  }

  handleChainError(error: unknown, id: string): void {
    this.#fail(error, id);
  }

  handleToolError(error: unknown, id: string): void {
    this.#fail(error, id);
  }

  handleRetrieverError(error: unknown, id: string): void {
    this.#fail(error, id);
  }

  handleLLMError(error: unknown, id: string): void {
    this.#fail(error, id);
  }

  #fail(error: unknown, id: string): void {
    endRun(id, (span) => {
      const name = textOf(member(error, "name")) ?? "";
      if (NOT_FAILED.has(name)) span.setAttribute("interrupted", true);
      else span.recordError(error);
      if (/abort/i.test(name) || member(error, "code") === "ABORT_ERR") span.setAttribute("aborted", true);
    });
  }

  #start(
    serialized: unknown,
    run: Record<"id" | "parentId" | "tags" | "metadata" | "name", unknown>,
    spanType: RunStart["spanType"],
    attributes: () => SpanAttributes,
  ): RecordedSpan | undefined {
    let span: RecordedSpan | undefined;
    recordSafely(() => {
      followFunctions();
      span = startRun({
        id: textOf(run.id) ?? "",
        parentId: textOf(run.parentId),
        spanType,
        name:
          textOf(run.name) ??
          textOf(field(serialized, "name")) ??
          textOf(elementsOf(field(serialized, "id")).at(-1)) ??
          spanType,
        tags: run.tags,
        metadata: run.metadata,
        attributes,
      })?.span;
    });
    return span;
  }

  #startModel(
    model: unknown,
    [id, parentId, extra, tags, metadata, name]: unknown[],
    prompt: () => SpanAttributes,
  ): void {
    const outside = openRun(textOf(parentId))?.node ?? currentContext();
    const request = requestAttributes(extra, metadata);
    const callName = textOf(name) ?? (request.model === undefined ? undefined : `chat ${request.model}`);
    const span = this.#start(model, { id, parentId, tags, metadata, name: callName }, "llm", () => ({
      ...request,
      ...(capturesPrompt() && prompt()),
    }));
    const run = span === undefined ? undefined : openRun(textOf(id));
    if (span === undefined || run === undefined) return;
    recordSafely(() => {
      run.stream = followTokens(span, shareModelCall(run, span, outside));
      enterContext(run.node);
    });
  }
}

function inputText(input: unknown): SpanAttributes {
  return capturesPrompt() ? { input_text: stringifyValue(lastMessageOr(input)) } : {};
}

function outputText(output: unknown): SpanAttributes {
  return capturesCompletion() ? { output_text: stringifyValue(lastMessageOr(output)) } : {};
}

function toDocument(document: unknown): unknown {
  return { content: field(document, "pageContent"), metadata: field(document, "metadata") };
}
