import { eachInSteps, filterInSteps, mapInSteps, type Steps } from "../in-steps.js";
import type { SpanMessage } from "../message.js";
import type { AgentThread, OpenTurn } from "./agent-threads.js";
import type { MessageUnit } from "./message-units.js";

/** The messages without the tool calls in them, with pauses. */
export function* withoutCalls(messages: readonly SpanMessage[]): Steps<SpanMessage[]> {
  const rests = yield* mapInSteps(messages, (message) => {
    const parts = message.parts.filter(({ kind }) => kind !== "call");
    return { ...message, parts };
  });
  return yield* filterInSteps(rests, ({ parts }) => parts.length > 0);
}

/**
 * Some senders record reasoning only where it is sent back. It belongs to the turn that it led to.
 *
 * @returns the pieces that were added to a turn.
 */
export function* addReasoning(
  { turnOf }: AgentThread,
  input: readonly MessageUnit[],
  added: ReadonlySet<MessageUnit>,
): Steps<ReadonlySet<MessageUnit>> {
  const told: { readonly unit: MessageUnit; readonly turn: OpenTurn }[] = [];
  let next: MessageUnit | undefined;
  yield* eachInSteps(input.toReversed(), (unit) => {
    if (!unit.isReasoning) {
      next = unit;
      return;
    }
    if (next === undefined || next.message !== unit.message || added.has(next) || !added.has(unit)) return;
    const turn = turnOf.get(next.key);
    if (turn !== undefined) told.push({ unit, turn });
  });
  for (const { unit, turn } of told.toReversed())
    turn.reasoning.push({ ...unit.message, key: `${unit.message.key} reasoning`, parts: unit.parts });
  return new Set(told.map(({ unit }) => unit));
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
