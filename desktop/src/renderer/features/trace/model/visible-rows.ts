import type { SpanNode, SpanTree } from "@obspan/collector-core/analysis";

/** The visible rows: every span except those inside a folded one. */
export function visibleRows(tree: SpanTree, folded: ReadonlySet<string>): readonly SpanNode[] {
  if (folded.size === 0) return tree.nodes;
  const rows: SpanNode[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const node of tree.nodes) {
    if (node.depth > hiddenBelow) continue;
    rows.push(node);
    hiddenBelow = folded.has(node.id) ? node.depth : Number.POSITIVE_INFINITY;
  }
  return rows;
}

/** The ids of a span's ancestors, which must be open for it to be visible. */
export function ancestorIds(node: SpanNode | undefined): string[] {
  const ids: string[] = [];
  for (let above = node?.parent; above !== undefined; above = above.parent) ids.push(above.id);
  return ids;
}

/** The spans that failed themselves, in display order. If every error from a child span, all failed spans. */
export function failedSpans(tree: SpanTree): readonly SpanNode[] {
  const failed = tree.nodes.filter(({ span }) => span.status === "ERROR");
  const own = failed.filter(({ span }) => span.error_propagated !== true);
  return own.length > 0 ? own : failed;
}

/**
 * The next of `candidates` after `current`, wrapping around.
 *
 * @param candidates - in tree order.
 * @param step - 1 for the next, -1 for the previous.
 */
export function nextInOrder(
  tree: SpanTree,
  candidates: readonly SpanNode[],
  current: SpanNode | undefined,
  step: 1 | -1,
): SpanNode | undefined {
  const places = new Map(tree.nodes.map((node, index) => [node, index]));
  const at = current === undefined ? -1 : (places.get(current) ?? -1);
  if (step === 1) return candidates.find((node) => (places.get(node) ?? 0) > at) ?? candidates[0];
  return candidates.findLast((node) => (places.get(node) ?? 0) < at) ?? candidates.at(-1);
}
