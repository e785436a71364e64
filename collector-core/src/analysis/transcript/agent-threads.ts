import type { Steps } from "../in-steps.js";
import type { SpanMessage } from "../message.js";
import { agentName } from "../model-calls.js";
import type { SpanNode } from "../span-tree.js";
import { Conversation } from "./conversation.js";
import type { MessageUnit } from "./message-units.js";
import { pieceIndexOf } from "./piece-index.js";
import { WaitingTools, type OpenTool } from "./tool-of-use.js";
import type { TurnEntry } from "./entries.js";

/** A turn while the transcript is built. */
export type OpenTurn = {
  -readonly [Key in Exclude<keyof TurnEntry, "tools" | "reasoning">]: TurnEntry[Key];
} & {
  tools: readonly OpenTool[];
  readonly reasoning: SpanMessage[];
};

/** What is known of an agent's conversation. */
export interface AgentThread {
  readonly name: string;
  readonly conversation: Conversation;
  readonly tools: WaitingTools;
  readonly turns: OpenTurn[];
  /** The last turn that said a piece, by its key. */
  readonly turnOf: Map<string, OpenTurn>;
}

/** Earlier conversations of an agent that a call may continue. */
const MAX_EARLIER = 16;

/** The conversations of the agents of a run. */
export class AgentThreads {
  readonly #threads = new Map<SpanNode | undefined, AgentThread>();
  readonly #byName = new Map<string, AgentThread[]>();

  /** The conversation of the agent around a span. */
  of(agent: SpanNode | undefined): AgentThread {
    const known = this.#threads.get(agent);
    if (known !== undefined) return known;
    const thread: AgentThread = {
      name: agent === undefined ? "" : agentName(agent),
      conversation: new Conversation(),
      tools: new WaitingTools(),
      turns: [],
      turnOf: new Map(),
    };
    this.#threads.set(agent, thread);
    const sameName = this.#byName.get(thread.name);
    if (sameName === undefined) this.#byName.set(thread.name, [thread]);
    else sameName.push(thread);
    return thread;
  }

  /** The same for a call: an agent that was started again may continue its earlier conversation. */
  *forCall(agent: SpanNode | undefined, input: readonly MessageUnit[]): Steps<AgentThread> {
    const thread = this.of(agent);
    if (agent === undefined || thread.turns.length > 0) return thread;
    const pieces = yield* pieceIndexOf(input);
    const earlier = this.#byName
      .get(thread.name)
      ?.slice(-MAX_EARLIER)
      .findLast((other) => other !== thread && other.conversation.isContinuedBy(pieces));
    if (earlier === undefined) return thread;
    this.#threads.set(agent, earlier);
    return earlier;
  }

  all(): Iterable<AgentThread> {
    return new Set(this.#threads.values());
  }
}
