import { canonicalData } from "./canonical-json.js";
import { eachInSteps, sortedInSteps, type Steps } from "./in-steps.js";
import { agentName } from "./model-calls.js";
import type { ToolUse } from "./tool-uses.js";

/** The place of a tool use among those of the same tool with the same arguments. */
export interface Repeat {
  /** Starting at 1. */
  readonly position: number;
  readonly count: number;
  /** Whether the one before failed. */
  readonly isRetry: boolean;
}

/** Uses between two pauses. */
const PAUSE = 1024;

/** The tool uses of one agent that have the same name and arguments, as canonical JSON; group by group, in order of start. */
export function* repeatsInSteps(uses: readonly ToolUse[]): Steps<ReadonlyMap<ToolUse, Repeat>> {
  const groups = new Map<string, ToolUse[]>();
  for (const [index, use] of uses.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    if (use.arguments === undefined) continue;
    const key = JSON.stringify([agentKey(use), use.name, canonicalData(use.arguments)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [use]);
    else group.push(use);
  }
  const repeats = new Map<ToolUse, Repeat>();
  let done = 0;
  for (const group of groups.values()) {
    if (++done % PAUSE === 0) yield;
    if (group.length < 2) continue;
    const ordered = yield* sortedInSteps(group, (a, b) => startOfUse(a) - startOfUse(b));
    yield* eachInSteps(ordered, (use, index) => {
      const isRetry = ordered[index - 1]?.node?.span.status === "ERROR";
      repeats.set(use, { position: index + 1, count: group.length, isRetry });
    });
  }
  return repeats;
}

function agentKey({ node, caller }: ToolUse): string {
  const agent = caller?.agent ?? node?.agent;
  return agent === undefined ? "" : agentName(agent);
}

/** When a use started; calls without a span start after the call of the model. */
export function startOfUse({ node, caller }: ToolUse): number {
  return node?.startMs ?? caller?.node.endMs ?? caller?.node.startMs ?? 0;
}
