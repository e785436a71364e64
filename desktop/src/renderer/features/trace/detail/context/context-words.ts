import type { CacheBreakCause, ContextPart, ContextPartKind } from "@obspan/collector-core/api-schema";

export const PART_NAMES: Readonly<Record<ContextPartKind, string>> = {
  tools: "Tool definitions",
  system: "System prompt",
  memory: "Memory",
  retrieved: "Retrieved",
  user: "User",
  assistant: "Assistant",
  images: "Images",
  results: "Tool results",
  unknown: "Not recorded",
};

const ITEMS: Readonly<Record<ContextPartKind, readonly [one: string, many: string]>> = {
  tools: ["tool", "tools"],
  system: ["line", "lines"],
  memory: ["memory", "memories"],
  retrieved: ["document", "documents"],
  user: ["message", "messages"],
  assistant: ["message", "messages"],
  images: ["image", "images"],
  results: ["result", "results"],
  unknown: ["", ""],
};

/** `6 tools`, `1092 × 812`, `6 · 3 equal`. */
export function itemsText({ kind, items, equal_items: equal, detail }: ContextPart): string {
  if (items === 0) return "";
  const [one, many] = ITEMS[kind];
  const count = detail ?? `${items} ${items === 1 ? one : many}`;
  return equal > 1 ? `${items} · ${equal} equal` : count;
}

/** In a column of the chart, and in a sentence. */
export const CAUSES: Readonly<Record<CacheBreakCause, readonly [short: string, whole: string]>> = {
  tool_list: ["tool list", "tool list changed"],
  timestamp: ["timestamp", "timestamp in the system prompt"],
  id: ["id", "id in the system prompt"],
  number: ["number", "number in the system prompt"],
  system_prompt: ["system", "system prompt changed"],
  memory: ["memory", "memory changed"],
  retrieved: ["document", "retrieved document changed"],
  history: ["history", "history rewritten"],
  expired: ["expired", "expired"],
  unknown: ["not said", "the provider did not say"],
};
