import { isFailure, textOf } from "../attributes.js";
import { addUsage, NO_USAGE, type Usage } from "../leaf-usage.js";
import { agentName } from "../model-calls.js";
import type { SpanNode } from "../span-tree.js";
import type { Flame } from "./flame.js";
import { addWeights, NO_WEIGHTS, type Weights } from "./measured-spans.js";

/** What spans can be added up by. */
export const GROUPINGS = ["name", "agent", "model", "type"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The spans of a run that have something in common. */
export interface SpanGroup {
  readonly key: string;
  /** Undefined if the spans have none, such as no model. */
  readonly label: string | undefined;
  /** The type that the group is shown with. */
  readonly type: string;
  /** In the order of the tree. */
  readonly nodes: readonly SpanNode[];
  readonly own: Weights;
  readonly usage: Usage;
  readonly errors: number;
}

type OpenGroup = { -readonly [Key in keyof SpanGroup]: SpanGroup[Key] } & { readonly nodes: SpanNode[] };

/** Adds up what the spans of a run have by themselves. Each span is in one group, in the order of their first spans. */
export function whereItWent({ spans }: Pick<Flame, "spans">, by: Grouping): readonly SpanGroup[] {
  const groups = new Map<string, OpenGroup>();
  for (const { node, own, usage } of spans) {
    const { label, type } = placeOf(node, by);
    const key = `${type} ${label ?? ""}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { key, label, type, nodes: [], own: NO_WEIGHTS, usage: NO_USAGE, errors: 0 };
      groups.set(key, group);
    }
    group.nodes.push(node);
    group.own = addWeights(group.own, own);
    group.usage = addUsage(group.usage, usage);
    if (isFailure(node.span)) group.errors++;
  }
  return [...groups.values()];
}

function placeOf(node: SpanNode, by: Grouping): Pick<SpanGroup, "label" | "type"> {
  const { span } = node;
  switch (by) {
    case "name":
      return { label: span.name, type: span.span_type };
    case "agent": {
      const agent = span.span_type === "agent" ? node : node.agent;
      return agent === undefined
        ? { label: undefined, type: "task" }
        : { label: agentName(agent), type: "agent" };
    }
    case "model": {
      const label = textOf(span, "model");
      return { label, type: label === undefined ? "task" : "llm" };
    }
    case "type":
      return { label: span.span_type, type: span.span_type };
  }
}
