import { textOf } from "../attributes.js";
import { eachInSteps, filterInSteps, mapInSteps, runSteps, type Steps } from "../in-steps.js";
import type { SpanMessage } from "../message.js";
import { linkInSteps, recordedSide } from "../messages.js";
import { agentName, type ModelCall } from "../model-calls.js";
import type { Run } from "../run.js";
import type { SpanNode } from "../span-tree.js";
import { isHandOff } from "../steps.js";
import type { ToolUse } from "../tool-uses.js";
import { AgentThreads, type AgentThread, type OpenTurn } from "./agent-threads.js";
import type { MessageEntry, StepsEntry, Transcript, TranscriptEntry } from "./entries.js";
import { unitsInSteps, type MessageUnit } from "./message-units.js";
import { PieceIndex } from "./piece-index.js";
import { isWrapped, messagesWith } from "./new-messages.js";
import { addReasoning, earlierMessages, withoutCalls } from "./turn-messages.js";
import { errorWithin, ownError } from "./step-error.js";
import { giveResultsToRetries, toolOf, type OpenTool } from "./tool-of-use.js";

/**
 * The run as one conversation, in display order: of each call only the messages that its agent's conversation did not have
 * before, its answer with the tools that it called, hand-offs between agents, and errors where they happened.
 */
export function transcriptOf(run: Run): Transcript {
  return runSteps(transcriptInSteps(run));
}

/** The same with pauses: a run may have very many spans. */
export function* transcriptInSteps(run: Run): Steps<Transcript> {
  return { entries: yield* new TranscriptBuilder(run).build() };
}

/** Spans and messages between two pauses. */
const PAUSE = 100;

type SilentStep = StepsEntry["steps"][number];

class TranscriptBuilder {
  readonly #run: Run;
  readonly #entries: TranscriptEntry[] = [];
  readonly #threads = new AgentThreads();
  readonly #calls: ReadonlyMap<SpanNode, ModelCall>;
  readonly #usesOfCall: ReadonlyMap<ModelCall, readonly ToolUse[]>;
  readonly #uses: ReadonlyMap<SpanNode, ToolUse>;
  /** Spans with steps inside. */
  readonly #open = new Set<SpanNode>();
  /** Agents that started each other, up to each agent. */
  readonly #levels = new Map<SpanNode, number>();
  /** Tools that ran after the answer of a turn, by the tools of their name in the turn. */
  readonly #ranLater = new Map<OpenTurn, Map<string, OpenTool[]>>();
  /** Failed spans around the current one. */
  readonly #failures: SpanNode[] = [];
  #lastAgent: SpanNode | undefined;
  /** Messages said before the run, which stand before the other entries. */
  readonly #earlier: TranscriptEntry[] = [];
  /** The list of each entry of silent steps. */
  readonly #silent = new Map<TranscriptEntry, SilentStep[]>();

  constructor(run: Run) {
    this.#run = run;
    this.#calls = new Map(run.calls.map((call) => [call.node, call]));
    this.#uses = new Map(
      run.uses.flatMap((use) => (use.node === undefined ? [] : [[use.node, use] as const])),
    );
    const usesOfCall = new Map<ModelCall, ToolUse[]>();
    for (const use of run.uses) {
      if (use.caller === undefined) continue;
      const uses = usesOfCall.get(use.caller);
      if (uses === undefined) usesOfCall.set(use.caller, [use]);
      else uses.push(use);
    }
    this.#usesOfCall = usesOfCall;
    // Parents stand before their children.
    for (const node of run.tree.nodes)
      if (node.span.span_type === "agent")
        this.#levels.set(node, this.#levelOf(node) + (isHandOff(node) ? 1 : 0));
    for (const step of run.steps)
      for (let above = step.parent; above !== undefined && !this.#open.has(above); above = above.parent)
        this.#open.add(above);
  }

  *build(): Steps<readonly TranscriptEntry[]> {
    const whole = this.#run.tree.roots.find(isRunItself);
    if (whole !== undefined) yield* this.#addRunInput(whole);
    let hiddenBelow = Number.POSITIVE_INFINITY;
    let work = 0;
    for (const node of this.#run.tree.nodes) {
      const call = this.#calls.get(node);
      work += 1 + (call === undefined ? 0 : call.input.length + call.output.length);
      if (work >= PAUSE) {
        work = 0;
        yield;
      }
      this.#closeFailures(node.depth);
      if (node.depth > hiddenBelow) continue;
      hiddenBelow = Number.POSITIVE_INFINITY;
      if (node.span.span_type === "evaluation") continue;
      yield* this.#add(node);
      if (this.#run.numbers.has(node.id) && !this.#open.has(node)) hiddenBelow = node.depth;
    }
    this.#closeFailures(-1);
    for (const [turn, later] of this.#ranLater) turn.tools = withLaterTools(turn.tools, later);
    yield;
    if (whole?.endMs !== undefined) yield* this.#addRunOutput(whole);
    yield;
    for (const thread of this.#threads.all())
      for (const turn of thread.turns) yield* giveResultsToRetries(turn.tools);
    return [...this.#earlier, ...this.#entries];
  }

  *#add(node: SpanNode): Steps<void> {
    const call = this.#calls.get(node);
    const use = this.#uses.get(node);
    if (call !== undefined) yield* this.#addCall(call);
    else if (use !== undefined) this.#addTool(use, node);
    else if (node.span.span_type === "agent") this.#addAgent(node);
    else if (this.#run.numbers.has(node.id)) this.#addStep(node);
    else this.#noteFailure(node);
  }

  /** Pauses, because a call may have very many messages. */
  *#addCall(call: ModelCall): Steps<void> {
    const { node } = call;
    const input = yield* unitsInSteps(call.input);
    const output = yield* unitsInSteps(call.output);
    const thread = yield* this.#threads.forCall(call.agent, input);
    const isFirst = thread.turns.length === 0;
    const added = yield* thread.conversation.add(input, output);
    yield* this.#addMessages(call, thread, input, added, isFirst);
    const turn = yield* this.#turnOf(call, thread);
    const isSilent = call.input.length === 0 && call.output.length === 0 && turn.tools.length === 0;
    if (isSilent && turn.error === undefined && !turn.isRunning) {
      this.#addSilentStep(node);
      return;
    }
    thread.turns.push(turn);
    yield* eachInSteps(output, ({ key }) => thread.turnOf.set(key, turn));
    this.#entries.push(turn);
  }

  /** The messages of the input that are new. */
  *#addMessages(
    call: ModelCall,
    thread: AgentThread,
    input: readonly MessageUnit[],
    added: ReadonlySet<MessageUnit>,
    isFirst: boolean,
  ): Steps<void> {
    const told = yield* addReasoning(thread, input, added);
    const untold = new Set(yield* filterInSteps(added, (unit) => !told.has(unit)));
    const said = yield* messagesWith(call.input, untold);
    const fresh = yield* linkInSteps(yield* thread.tools.answer(said, call.node));
    const level = this.#levelOf(call.node);
    const isEarlier = isFirst && level === 0 ? earlierMessages(input) : new Set<string>();
    yield* eachInSteps(fresh, (message) => {
      if (message.parts.length === 0) return;
      const entry: MessageEntry = {
        kind: "message",
        key: `${call.node.id} ${message.key}`,
        node: call.node,
        atMs: call.node.startMs,
        level,
        message,
        isEarlier: isEarlier.has(message.key),
      };
      (entry.isEarlier ? this.#earlier : this.#entries).push(entry);
    });
  }

  *#turnOf(call: ModelCall, thread: AgentThread): Steps<OpenTurn> {
    const { node } = call;
    const tools = yield* mapInSteps(this.#usesOfCall.get(call) ?? [], (use, index) =>
      toolOf(this.#run, use, `${node.id} call ${index}`, use.node !== undefined && this.#open.has(use.node)),
    );
    yield* eachInSteps(tools, (tool) => thread.tools.add(tool));
    return {
      kind: "turn",
      key: `${node.id} turn`,
      node,
      atMs: node.startMs,
      level: this.#levelOf(node),
      number: this.#run.numbers.get(node.id),
      output: yield* withoutCalls(call.output),
      reasoning: [],
      tools,
      error: this.#open.has(node) ? ownError(node) : errorWithin(node),
      isFinal: false,
      isRunning: node.endMs === undefined,
    };
  }

  /** A tool that a model called is in the turn of its call. */
  #addTool(use: ToolUse, node: SpanNode): void {
    if (use.call !== undefined || !this.#run.numbers.has(node.id)) return;
    const tool = toolOf(this.#run, use, `${node.id} tool`, this.#open.has(node));
    const turn = this.#threads.of(node.agent).turns.at(-1);
    const sameName = turn === undefined ? undefined : this.#laterTools(turn).get(tool.name);
    if (sameName === undefined) this.#addStepTool(node, tool);
    else sameName.push(tool);
  }

  #laterTools(turn: OpenTurn): Map<string, OpenTool[]> {
    let later = this.#ranLater.get(turn);
    if (later === undefined) {
      later = new Map(turn.tools.map(({ name }) => [name, []]));
      this.#ranLater.set(turn, later);
    }
    return later;
  }

  #addStepTool(node: SpanNode, tool: OpenTool): void {
    const isSilent = tool.arguments === undefined && tool.result === undefined && tool.error === undefined;
    if (isSilent && node.endMs !== undefined) this.#addSilentStep(node);
    else this.#entries.push({ ...this.#base(node, "step"), kind: "step", tool });
  }

  #addStep(node: SpanNode): void {
    const error = errorWithin(node);
    if (error === undefined) {
      this.#addSilentStep(node);
      return;
    }
    const use = { name: node.span.name, node, call: undefined, caller: undefined, arguments: undefined };
    const tool = toolOf(this.#run, use, `${node.id} tool`, false);
    this.#entries.push({ ...this.#base(node, "step"), kind: "step", tool });
  }

  #addSilentStep(node: SpanNode): void {
    const step: SilentStep = { node, number: this.#run.numbers.get(node.id) };
    const last = this.#entries.at(-1);
    const base = this.#base(node, "steps");
    const steps = last?.level === base.level ? this.#silent.get(last) : undefined;
    if (steps !== undefined) {
      steps.push(step);
      return;
    }
    const entry = { ...base, kind: "steps" as const, steps: [step] };
    this.#silent.set(entry, entry.steps);
    this.#entries.push(entry);
  }

  #addAgent(node: SpanNode): void {
    const above = isHandOff(node) ? node.agent : undefined;
    const from = above ?? (node.agent === undefined ? this.#lastAgent : undefined);
    if (above === undefined && node.agent === undefined) this.#lastAgent = node;
    this.#noteFailure(node);
    if (from === undefined || agentName(from) === agentName(node)) return;
    const note = textOf(node.span, "input_text");
    this.#entries.push({
      ...this.#base(node, "handoff"),
      kind: "handoff",
      number: this.#run.numbers.get(node.id),
      from: agentName(from),
      to: agentName(node),
      note: note === undefined || /^\s*[{[]/.test(note) ? undefined : note,
    });
  }

  /** What the run was asked. Calls that send the same text do not repeat it. */
  *#addRunInput(node: SpanNode): Steps<void> {
    const messages = yield* this.#withoutWrapped(yield* recordedSide(node.span, "input"));
    if (messages.length === 0) return;
    yield* this.#mainThread().conversation.add(yield* unitsInSteps(messages), []);
    const linked = yield* linkInSteps(messages);
    yield* eachInSteps(linked, (message) => this.#addRunMessage(node, message, node.startMs));
  }

  /** What the run answered, unless a model said it. */
  *#addRunOutput(node: SpanNode): Steps<void> {
    const output = yield* recordedSide(node.span, "output");
    const turnOf = new Map<string, OpenTurn>();
    const said = new PieceIndex();
    for (const thread of this.#threads.all()) {
      yield* eachInSteps(thread.turnOf, ([key, turn]) => turnOf.set(key, turn));
      yield* thread.conversation.addPiecesTo(said);
    }
    const unknown = new Set<MessageUnit>();
    yield* eachInSteps(yield* unitsInSteps(output), (unit) => {
      const turn = turnOf.get(unit.key);
      if (turn !== undefined && unit.parts[0]?.kind === "text") turn.isFinal = true;
      if (turn === undefined && !said.has(unit)) unknown.add(unit);
    });
    const messages = yield* this.#withoutWrapped(yield* messagesWith(output, unknown));
    const linked = yield* linkInSteps(messages);
    yield* eachInSteps(linked, (message) => this.#addRunMessage(node, message, node.endMs ?? node.startMs));
  }

  #withoutWrapped(messages: readonly SpanMessage[]): Steps<SpanMessage[]> {
    return filterInSteps(messages, (message) => !isWrapped(message, this.#run));
  }

  #addRunMessage(node: SpanNode, message: SpanMessage, atMs: number): void {
    if (message.parts.length === 0) return;
    const key = `${node.id} ${message.key}`;
    this.#entries.push({ kind: "message", key, node, atMs, level: 0, message, isEarlier: false });
  }

  #mainThread(): AgentThread {
    const main = this.#run.calls.find(({ node }) => this.#levelOf(node) === 0);
    return this.#threads.of(main?.agent);
  }

  #noteFailure(node: SpanNode): void {
    if (ownError(node) !== undefined) this.#failures.push(node);
  }

  /** Shows the errors of spans that end before a span of this depth. */
  #closeFailures(depth: number): void {
    for (
      let node = this.#failures.at(-1);
      node !== undefined && node.depth >= depth;
      node = this.#failures.at(-1)
    ) {
      this.#failures.pop();
      const error = ownError(node);
      if (error !== undefined)
        this.#entries.push({ ...this.#base(node, "error"), kind: "error", error, atMs: endOf(node) });
    }
  }

  #base(node: SpanNode, kind: string): { key: string; node: SpanNode; atMs: number; level: number } {
    return { key: `${node.id} ${kind}`, node, atMs: node.startMs, level: this.#levelOf(node) };
  }

  /** The agents that started each other around a span. */
  #levelOf({ agent }: SpanNode): number {
    return agent === undefined ? 0 : (this.#levels.get(agent) ?? 0);
  }
}

/** The tools of a turn, with those that ran later after the last one of their name. */
function withLaterTools(
  tools: readonly OpenTool[],
  later: ReadonlyMap<string, readonly OpenTool[]>,
): OpenTool[] {
  const lastOf = new Map(tools.map(({ name }, index) => [name, index]));
  return tools.flatMap((tool, index) =>
    lastOf.get(tool.name) === index ? [tool, ...(later.get(tool.name) ?? [])] : [tool],
  );
}

/** A root that contains the run, and is not a step of it. */
function isRunItself({ span }: SpanNode): boolean {
  return !["llm", "tool", "embedding", "retrieval", "evaluation"].includes(span.span_type);
}

function endOf({ startMs, endMs }: SpanNode): number {
  return endMs ?? startMs;
}
