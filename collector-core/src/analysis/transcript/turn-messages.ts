import type { SpanMessage } from "../message.js";
import type { AgentThread } from "./agent-threads.js";
import type { MessageUnit } from "./message-units.js";

/** The messages without the tool calls in them. */
export function withoutCalls(messages: readonly SpanMessage[]): SpanMessage[] {
  return messages.flatMap((message) => {
    const parts = message.parts.filter(({ kind }) => kind !== "call");
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}

/**
 * Some senders record reasoning only where it is sent back. It belongs to the turn that it led to.
 *
 * @returns whether it was added to a turn.
 */
export function addReasoning(
  thread: AgentThread,
  input: readonly MessageUnit[],
  added: ReadonlySet<MessageUnit>,
  unit: MessageUnit,
): boolean {
  if (!unit.isReasoning) return false;
  const next = input.slice(input.indexOf(unit) + 1).find(({ isReasoning }) => !isReasoning);
  if (next === undefined || next.message !== unit.message || added.has(next)) return false;
  const turn = thread.turns.findLast(({ units }) => units.some(({ key }) => key === next.key));
  if (turn === undefined) return false;
  turn.reasoning = [
    ...turn.reasoning,
    { ...unit.message, key: `${unit.message.key} reasoning`, parts: unit.parts },
  ];
  return true;
}

/** The keys of the messages before the last one of the user, if a model answered some of them. */
export function earlierMessages(input: readonly MessageUnit[]): ReadonlySet<string> {
  const last = input.findLast(({ role, parts }) => role === "user" && parts[0]?.kind !== "result");
  const before = last === undefined ? [] : input.slice(0, input.indexOf(last));
  if (!before.some(({ role }) => role === "assistant")) return new Set();
  return new Set(
    before
      .filter(({ role, message }) => role !== "system" && message !== last?.message)
      .map(({ message }) => message.key),
  );
}
