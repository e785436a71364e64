import { agentName, isOneCall, numberOf, textOf, type Run } from "@obspan/collector-core/analysis";
import { useEffect, useMemo } from "react";
import type { TraceKey } from "../../../api/collector-api.js";
import { useStores } from "../../../app-context.js";

/** What is there is drawn first; calls of a running trace that end soon after each other are read together. */
const SETTLE_MS = 600;
/** Providers do not cache shorter texts. */
const MIN_CACHED_TOKENS = 1024;

/** Reads which model calls of the trace did not read the prompt cache, to mark them before one is selected. */
export function useCacheBreaks(key: TraceKey, run: Run): void {
  const { context } = useStores();
  const groups = useMemo(() => cachingCalls(run), [run]);
  // An update of the trace that ends no call asks nothing.
  const asked = JSON.stringify(groups);
  useEffect(() => {
    if (asked === "[]") return;
    const calls = JSON.parse(asked) as string[][];
    const timer = setTimeout(() => void context.getState().findBreaks(key, calls), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [context, key, asked]);
}

/** Ended calls of the same agent and model that are long enough for a cache; a first one has nothing to read from it. */
function cachingCalls({ calls }: Run): string[][] {
  const groups = new Map<string, string[]>();
  for (const { node, agent } of calls) {
    const { span } = node;
    if ((numberOf(span, "tokens_input") ?? 0) < MIN_CACHED_TOKENS) continue;
    if (node.endMs === undefined || !isOneCall(node)) continue;
    const group = JSON.stringify([agent && agentName(agent), textOf(span, "model")]);
    const ids = groups.get(group);
    if (ids === undefined) groups.set(group, [node.id]);
    else ids.push(node.id);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}
