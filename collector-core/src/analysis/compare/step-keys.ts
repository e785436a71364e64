import type { LevelKeys } from "./align.js";
import type { ComparedStep } from "./compared-step.js";

/** How two steps were found to belong together. */
export const MATCHED_BY = ["content", "name", "position"] as const;
export type MatchedBy = (typeof MATCHED_BY)[number];

/** Types of which steps with different names may take each other's place. A tool of another name does something else. */
const PLACED: ReadonlySet<string> = new Set(["llm", "embedding", "retrieval", "agent"]);

const known = new WeakMap<ComparedStep, LevelKeys>();

/**
 * The keys by which steps are matched, in the order of {@link MATCHED_BY}: what the step did (a tool with its arguments, a model
 * call with its answer), its name with its agent, and its type alone.
 */
export function stepKeys(step: ComparedStep): LevelKeys {
  let keys = known.get(step);
  if (keys === undefined) known.set(step, (keys = keysOf(step)));
  return keys;
}

function keysOf({ node, agent, name, call, content }: ComparedStep): LevelKeys {
  const { span_type: type } = node.span;
  const named = JSON.stringify([type, agent, name]);
  const done = call === undefined ? content.input : content.output;
  return [`${named} ${done.join("\n")}`, named, PLACED.has(type) ? type : JSON.stringify([type, name])];
}
