import {
  capturesCompletion,
  capturesPrompt,
  followLiveText,
  stringifyValue,
  TextAccumulator,
  type RecordedSpan,
  type SpanAttributes,
} from "../../capture/integration.js";
import type { Message, MessagePart } from "../../wire/index.js";
import { elementsOf, field, numberOf, textOf } from "../json-fields.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { recordSafely, setFirstToken, startRunSpan } from "../run-spans/run-span.js";
import { completionText, promptText } from "../wire/message-texts.js";
import { partsOf, resultText, userMessage } from "./content.js";
import {
  isSameModel,
  responseUsage,
  shareCost,
  since,
  sum,
  totalsByModel,
  type Usage,
} from "./model-usage.js";

/** Most model calls and tool calls of a turn that wait for their end. */
const MAX_OPEN = 2000;

/** Begins the keys of calls without an id of the API. */
const UNSEEN = "unseen ";

/** A call of the model. It ends with the result of its turn, which has the exact tokens and the cost. */
interface Call {
  readonly span: RecordedSpan;
  readonly model: string | undefined;
  readonly parts: MessagePart[];
  usage: Usage;
  finishReason: string | undefined;
  endMs: number;
  /** Adds streamed text, with `live`. */
  readonly addText: ((text: string) => void) | undefined;
}

/** When a tool ran, as the hooks reported it, in milliseconds of the monotonic clock. */
interface ToolTimes {
  readonly startMs: number;
  endMs?: number | undefined;
}

/** How a query is recorded. */
export interface QueryRecorderOptions {
  /** False if the process of Claude Code reports its model calls and tools itself. */
  readonly recordsCalls: boolean;
  /** True for a query that continues a session: its first result has the totals of earlier queries too. */
  readonly continuesSession: boolean;
}

/** Makes spans of the messages of a query. */
export class QueryRecorder {
  readonly #agent: RecordedSpan;
  readonly #options: QueryRecorderOptions;
  readonly #calls = new Map<string, Call>();
  readonly #tools = new Map<string, RecordedSpan>();
  readonly #toolTimes = new Map<string, ToolTimes>();
  /** When the model could start its next call, by the tool call of the sub-agent; empty for the agent itself. */
  readonly #readyMs = new Map<string, number>();
  /** The call whose stream events arrive, likewise. */
  readonly #streamed = new Map<string, Call>();
  /** What the app sent, and no turn has taken yet. */
  readonly #prompts: Message[] = [];
  /** What the next call of the model gets, apart from the conversation so far. */
  #input: Message[] = [];
  #totals: ReadonlyMap<string, Usage> = new Map();
  #totalCostUsd = 0;
  #turn: RecordedSpan | undefined;
  #turns = 0;
  #results = 0;
  #session: SpanAttributes = {};
  #isEnded = false;

  constructor(agent: RecordedSpan, options: QueryRecorderOptions) {
    this.#agent = agent;
    this.#options = options;
  }

  /** Records what the app sends to the model. */
  addPrompt(content: unknown): void {
    recordSafely(() => {
      if (this.#isEnded || this.#prompts.length >= MAX_OPEN) return;
      this.#prompts.push(userMessage(content));
      // Claude Code works on one prompt after the other.
      this.#startTurn();
    });
  }

  /** Records when a tool starts and ends. The messages about it can be read later. */
  addToolTime(id: string, isEnd: boolean): void {
    const times = this.#toolTimes.get(id);
    if (isEnd && times !== undefined) times.endMs = performance.now();
    else if (!isEnd && this.#toolTimes.size < MAX_OPEN)
      this.#toolTimes.set(id, { startMs: performance.now() });
  }

  /** Records a message of Claude Code. */
  addMessage(message: unknown): void {
    const sessionId = textOf(field(message, "session_id"));
    if (sessionId !== undefined && this.#session.session_id === undefined) {
      this.#session = { session_id: sessionId };
      for (const span of [this.#agent, this.#turn]) span?.setAttributes(this.#session);
    }
    const parent = textOf(field(message, "parent_tool_use_id")) ?? "";
    switch (field(message, "type")) {
      case "system":
        if (field(message, "subtype") === "init") this.#addInit(message);
        break;
      case "stream_event":
        this.#addStreamEvent(parent, message);
        break;
      case "assistant":
        this.#addAnswer(parent, message);
        break;
      case "user":
        this.#addToolResults(parent, message);
        break;
      case "result":
        this.#endTurn(message);
        break;
    }
  }

  /** Ends all spans. */
  end(error: { readonly error: unknown } | undefined, isAborted: boolean): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    recordSafely(() => {
      const isCut = isAborted || error !== undefined;
      this.#endTools(isCut);
      if (isCut && this.#turn !== undefined && error === undefined) this.#turn.setAttribute("aborted", true);
      this.#endCalls(isCut);
      if (error !== undefined) this.#turn?.recordError(error.error);
      this.#turn?.end();
      if (error !== undefined) this.#agent.recordError(error.error);
      if (isAborted) this.#agent.setAttribute("aborted", true);
    });
    this.#agent.end();
  }

  #addInit(message: unknown): void {
    this.#agent.setAttributes(
      definedOnly({
        claude_code_version: textOf(field(message, "claude_code_version")),
        permission_mode: textOf(field(message, "permissionMode")),
      }),
    );
    this.#startTurn();
  }

  #startTurn(): RecordedSpan {
    if (this.#turn !== undefined) return this.#turn;
    this.#turns += 1;
    this.#turn =
      startRunSpan({
        parent: this.#agent,
        spanType: "task",
        name: `turn ${this.#turns}`,
        attributes: this.#session,
      }) ?? this.#agent;
    this.#readyMs.set("", performance.now());
    const prompt = this.#prompts.shift();
    if (prompt !== undefined) {
      const text = promptText([prompt]);
      this.#agent.putDefault("input_text", text);
      this.#turn.putDefault("input_text", text);
      this.#input.push(prompt);
    }
    return this.#turn;
  }

  #call(parent: string, message: unknown): Call | undefined {
    const id = textOf(field(message, "id")) ?? `${UNSEEN}${parent}`;
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    if (!this.#options.recordsCalls || this.#calls.size >= MAX_OPEN) return undefined;
    const turn = this.#startTurn();
    const model = textOf(field(message, "model"));
    // What a sub-agent is told is in the arguments of its tool call.
    const input = parent === "" ? this.#input.splice(0) : [];
    const startedAtMs = this.#readyMs.get(parent) ?? performance.now();
    const span = startRunSpan({
      parent: this.#tools.get(parent) ?? turn,
      spanType: "llm",
      name: model === undefined ? "chat" : `chat ${model}`,
      startedAtMs,
      attributes: {
        ...this.#session,
        ...definedOnly({
          provider: "anthropic",
          stream: true,
          model,
          response_id: id.startsWith(UNSEEN) ? undefined : id,
          prompt_messages: input.length > 0 ? input : undefined,
          prompt_text: promptText(input),
        }),
      },
    });
    if (span === undefined) return undefined;
    const usage = responseUsage(field(message, "usage"));
    const call: Call = {
      span,
      model,
      parts: [],
      usage,
      finishReason: undefined,
      endMs: startedAtMs,
      addText: liveText(span),
    };
    this.#calls.set(id, call);
    return call;
  }

  /** Events of a stream, if the app asks for them: exact output tokens and the time to the first token. */
  #addStreamEvent(parent: string, message: unknown): void {
    const event = field(message, "event");
    const type = field(event, "type");
    if (type === "message_start") {
      const call = this.#call(parent, field(event, "message"));
      if (call === undefined) this.#streamed.delete(parent);
      else this.#streamed.set(parent, call);
    }
    const call = this.#streamed.get(parent);
    if (call === undefined) return;
    call.endMs = performance.now();
    const text = textOf(field(field(event, "delta"), "text"));
    if (text !== undefined) call.addText?.(text);
    const ttftMs = numberOf(field(message, "ttft_ms"));
    if (ttftMs !== undefined || type === "content_block_delta")
      setFirstToken(call.span, ttftMs ?? call.endMs - call.span.startedAtMs);
    if (type !== "message_delta") return;
    call.usage.output = responseUsage(field(event, "usage")).output || call.usage.output;
    call.finishReason = textOf(field(field(event, "delta"), "stop_reason"));
  }

  /** Claude Code sends a message for each block of an answer. */
  #addAnswer(parent: string, message: unknown): void {
    const answer = field(message, "message");
    const call = this.#call(parent, answer);
    const nowMs = performance.now();
    const blocks = elementsOf(field(answer, "content"));
    if (call !== undefined) {
      for (const part of partsOf(blocks)) call.parts.push(part);
      const usage = responseUsage(field(answer, "usage"));
      call.usage = { ...usage, output: Math.max(usage.output, call.usage.output) };
      call.finishReason = textOf(field(answer, "stop_reason")) ?? call.finishReason;
      call.endMs = nowMs;
      call.span.setAttributes(definedOnly({ request_id: textOf(field(message, "request_id")) }));
      const error = textOf(field(message, "error"));
      if (error !== undefined) {
        call.span.setStatus("ERROR");
        call.span.setAttributes({
          error_type: error,
          error_message: completionText([{ role: "", parts: call.parts }]),
        });
      }
    }
    this.#readyMs.set(parent, nowMs);
    for (const block of blocks) if (field(block, "type") === "tool_use") this.#startTool(parent, block);
  }

  #startTool(parent: string, block: unknown): void {
    const id = textOf(field(block, "id"));
    if (
      id === undefined ||
      this.#tools.has(id) ||
      this.#tools.size >= MAX_OPEN ||
      !this.#options.recordsCalls
    )
      return;
    const span = startRunSpan({
      parent: this.#tools.get(parent) ?? this.#startTurn(),
      spanType: "tool",
      name: textOf(field(block, "name")) ?? "tool",
      startedAtMs: this.#toolTimes.get(id)?.startMs,
      attributes: {
        ...this.#session,
        tool_call_id: id,
        ...(capturesPrompt() && { input_text: stringifyValue(field(block, "input")) }),
      },
    });
    if (span === undefined) return;
    this.#tools.set(id, span);
    this.#readyMs.set(id, span.startedAtMs);
  }

  #addToolResults(parent: string, message: unknown): void {
    const content = field(field(message, "message"), "content");
    let hasResult = false;
    for (const block of elementsOf(content)) {
      const id = textOf(field(block, "tool_use_id"));
      const span = this.#tools.get(id ?? "");
      if (id === undefined || field(block, "type") !== "tool_result") continue;
      hasResult = true;
      const output = stringifyValue(resultText(field(block, "content")));
      if (capturesCompletion()) span?.setAttribute("output_text", output);
      if (field(block, "is_error") === true) {
        span?.setStatus("ERROR").setAttributes({ error_type: "tool_error" });
        if (capturesCompletion()) span?.setAttributes({ error_message: output });
      }
      this.#endTool(id);
    }
    // A replayed message of the app is no input that the app sends.
    if (hasResult && parent === "") this.#input.push(userMessage(content));
    this.#readyMs.set(parent, performance.now());
  }

  #endTool(id: string): void {
    const span = this.#tools.get(id);
    const endMs = this.#toolTimes.get(id)?.endMs;
    this.#tools.delete(id);
    this.#toolTimes.delete(id);
    this.#readyMs.delete(id);
    span?.endAt(Math.max(span.startedAtMs, endMs ?? performance.now()));
  }

  #endTools(isAborted: boolean): void {
    for (const [id, span] of this.#tools) {
      if (isAborted && this.#toolTimes.get(id)?.endMs === undefined) span.setAttribute("aborted", true);
      this.#endTool(id);
    }
  }

  #endTurn(result: unknown): void {
    const turn = this.#startTurn();
    const isFirst = this.#results++ === 0;
    const totals = totalsByModel(field(result, "modelUsage"));
    if (isFirst && this.#options.continuesSession) this.#completeByTurn(field(result, "usage"));
    else this.#complete(totals);
    this.#totals = totals;
    const ttftMs = numberOf(field(result, "ttft_ms"));
    const [first] = this.#calls.values();
    if (ttftMs !== undefined && first !== undefined) setFirstToken(first.span, ttftMs);
    const usage = sum([...this.#calls.values()].map((call) => call.usage));
    const costUsd = numberOf(field(result, "total_cost_usd")) ?? 0;
    const answer = stringifyValue(field(result, "result"));
    turn.setAttributes(
      definedOnly({
        num_turns: numberOf(field(result, "num_turns")),
        duration_api_ms: numberOf(field(result, "duration_api_ms")),
        usage_total_tokens_input: usage.input + usage.cacheRead + usage.cacheWrite,
        usage_total_tokens_output: usage.output,
        usage_total_cost_usd: costUsd >= this.#totalCostUsd ? costUsd - this.#totalCostUsd : costUsd,
        ...(capturesCompletion() && { output_text: answer }),
      }),
    );
    this.#totalCostUsd = costUsd;
    if (capturesCompletion()) this.#agent.setAttributes(definedOnly({ output_text: answer }));
    this.#endTools(false);
    if (field(result, "is_error") === true) fail(turn, this.#agent, result);
    this.#endCalls(false);
    turn.end();
    this.#turn = undefined;
    this.#streamed.clear();
    this.#readyMs.clear();
    this.#toolTimes.clear();
  }

  /** Completes the calls of a turn by the totals of each model. Calls that no message tells of become one span. */
  #complete(totals: ReadonlyMap<string, Usage>): void {
    for (const [model, total] of totals) {
      const added = since(total, this.#totals.get(model));
      const calls = [...this.#calls.values()].filter((call) => isSameModel(call.model, model));
      const rest = since(added, sum(calls.map(({ usage }) => ({ ...usage, costUsd: 0 }))));
      const hasMore = rest.input + rest.cacheRead + rest.cacheWrite > 0;
      const last = calls.at(-1);
      // Messages have a provisional number of output tokens.
      if (!hasMore && last !== undefined) last.usage.output += rest.output;
      else if (hasMore || rest.output > 0) this.#addUnseenCalls(model, rest);
      const usages = [...this.#calls.values()]
        .filter((call) => isSameModel(call.model, model))
        .map(({ usage }) => usage);
      shareCost(added.costUsd, usages);
    }
  }

  #completeByTurn(usage: unknown): void {
    const last = [...this.#calls.values()].at(-1);
    const rest = since(responseUsage(usage), sum([...this.#calls.values()].map((call) => call.usage)));
    if (last !== undefined) last.usage.output += rest.output;
  }

  #addUnseenCalls(model: string, usage: Usage): void {
    const call = this.#call("", { id: `${UNSEEN}${model}`, model });
    if (call === undefined) return;
    call.usage = { ...usage, costUsd: 0 };
    call.endMs = performance.now();
    call.span.setAttribute("aggregated", true);
  }

  #endCalls(isAborted: boolean): void {
    for (const { span, parts, usage, finishReason, endMs } of this.#calls.values()) {
      const message: Message = { role: "assistant", parts };
      if (finishReason !== undefined) message.finish_reason = finishReason;
      span.setAttributes(
        definedOnly({
          tokens_input: usage.input + usage.cacheRead + usage.cacheWrite,
          tokens_output: usage.output,
          tokens_cached: usage.cacheRead,
          tokens_cache_write: usage.cacheWrite,
          cost_usd: usage.costUsd > 0 ? usage.costUsd : undefined,
          finish_reason: finishReason,
          completion_messages: parts.length > 0 ? [message] : undefined,
          completion_text: completionText([message]),
          aborted: isAborted ? true : undefined,
        }),
      );
      span.endAt(Math.max(span.startedAtMs, endMs));
    }
    this.#calls.clear();
  }
}

function fail(turn: RecordedSpan, agent: RecordedSpan, result: unknown): void {
  const subtype = textOf(field(result, "subtype"));
  const status = numberOf(field(result, "api_error_status"));
  const type = subtype === undefined || subtype === "success" ? `api_error ${status ?? ""}`.trim() : subtype;
  const message = elementsOf(field(result, "errors")).join("\n") || textOf(field(result, "result"));
  for (const span of [turn, agent]) {
    span.setStatus("ERROR").setAttributes({ error_type: type, error_message: message });
  }
  agent.errorPropagated = true;
}

/** Sends the streamed text of a call while it grows. */
function liveText(span: RecordedSpan): Call["addText"] {
  const text = new TextAccumulator();
  const onText = followLiveText(span, { response: () => text.toString() });
  if (onText === undefined) return undefined;
  return (piece) => {
    text.append(piece);
    onText();
  };
}
