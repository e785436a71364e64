import { runSteps, type Steps } from "../in-steps.js";
import type { Run } from "../run.js";
import { runGraphInSteps } from "./build-graph.js";
import type { GraphLoop } from "./run-graph.js";

/** A loop with the name of what is called again. */
export interface RunLoop extends GraphLoop {
  readonly name: string;
}

/** Where a run goes round, as its graph shows it. */
export function loopsOf(run: Run): RunLoop[] {
  return runSteps(loopsInSteps(run));
}

/** The same with pauses: a run may have very many spans. */
export function* loopsInSteps(run: Run): Steps<RunLoop[]> {
  const { nodes, loops } = yield* runGraphInSteps(run, run.tree.endMs);
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  return loops.map((loop) => ({ ...loop, name: names.get(loop.nodeId) ?? loop.span.span.name }));
}
