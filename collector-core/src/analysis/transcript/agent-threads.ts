import { agentName, agentOf } from "../model-calls.js";
import type { SpanNode } from "../span-tree.js";
import { Conversation } from "./conversation.js";
import type { MessageUnit } from "./message-units.js";
import { WaitingTools, type OpenTool } from "./tool-of-use.js";
import type { TurnEntry } from "./entries.js";

/** A turn while the transcript is built. */
export type OpenTurn = { -readonly [Key in Exclude<keyof TurnEntry, "tools">]: TurnEntry[Key] } & {
  tools: readonly OpenTool[];
  readonly units: readonly MessageUnit[];
};

/** What is known of an agent's conversation. */
export interface AgentThread {
  readonly name: string;
  readonly conversation: Conversation;
  readonly tools: WaitingTools;
  readonly turns: OpenTurn[];
}

/** The conversations of the agents of a run. */
export class AgentThreads {
  readonly #threads = new Map<SpanNode | undefined, AgentThread>();

  /** The conversation of the agent around a span. */
  of(agent: SpanNode | undefined): AgentThread {
    const known = this.#threads.get(agent);
    if (known !== undefined) return known;
    const thread: AgentThread = {
      name: agent === undefined ? "" : agentName(agent),
      conversation: new Conversation(),
      tools: new WaitingTools(),
      turns: [],
    };
    this.#threads.set(agent, thread);
    return thread;
  }

  /** The same for a call: an agent that was started again may continue its earlier conversation. */
  forCall(agent: SpanNode | undefined, input: readonly MessageUnit[]): AgentThread {
    const thread = this.of(agent);
    if (agent === undefined || thread.turns.length > 0) return thread;
    const earlier = [...this.#threads.values()].findLast(
      (other) => other !== thread && other.name === thread.name && other.conversation.isContinuedBy(input),
    );
    if (earlier === undefined) return thread;
    this.#threads.set(agent, earlier);
    return earlier;
  }

  all(): Iterable<AgentThread> {
    return new Set(this.#threads.values());
  }
}

/** The agents that started each other above a span. */
export function levelOf(node: SpanNode, isHandOff: (agent: SpanNode) => boolean): number {
  let level = 0;
  for (let agent = agentOf(node); agent !== undefined; agent = agentOf(agent)) if (isHandOff(agent)) level++;
  return level;
}
