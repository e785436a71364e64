/** The tools of the MCP server, in the order in which clients list them. */
export { searchTraces } from "./search-traces.js";
export { getTrace } from "./get-trace.js";
export { compareTracesTool } from "./compare-traces.js";
export { explainCost } from "./explain-cost.js";
export { explainContext } from "./explain-context.js";
export { getSession } from "./get-session.js";
export { getMetrics } from "./get-metrics.js";
export { listErrors } from "./list-errors.js";
export { listEvaluationsTool } from "./list-evaluations.js";
export { evaluate } from "./evaluate.js";
export { annotate } from "./annotate.js";
