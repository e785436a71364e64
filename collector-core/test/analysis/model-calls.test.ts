import { expect, it } from "vitest";
import { modelCallsInSteps } from "../../src/analysis/model-calls.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { newSpan } from "./spans.js";

it("finds many calls at the end of a deep chain without going up the chain for each", () => {
  const [depth, count] = [300, 300];
  const chain = Array.from({ length: depth }, (_, n) => newSpan(`${n}`, n === 0 ? null : `${n - 1}`, n, 1));
  const calls = Array.from({ length: count }, (_, n) =>
    newSpan(`call ${n}`, `${depth - 1}`, depth + n, 1, { span_type: "llm" }),
  );
  const tree = buildSpanTree([...chain, ...calls]);
  let steps = 0;
  for (const node of tree.nodes) {
    const { parent } = node;
    Object.defineProperty(node, "parent", { get: () => (steps++, parent) });
  }
  const found = modelCallsInSteps(tree);
  found.next();
  // The first pause is after the first call, whose agent and wrappers are above it.
  expect(steps).toBeLessThan(6 * (depth + count));
  let step = found.next();
  while (step.done !== true) step = found.next();
  expect(step.value).toHaveLength(count);
});
