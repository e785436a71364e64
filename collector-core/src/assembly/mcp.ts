import type { EvaluationRunAnswer } from "../api-schema/evaluations.js";
import type { Stats } from "../api-schema/stats.js";
import type { CompareTraces } from "../query/compare-traces.js";
import type { EvaluationLog } from "../query/evaluation-log.js";
import { summarizeEvaluations } from "../query/evaluation-summary.js";
import { evaluateStored, listEvaluations } from "../query/evaluations-routes.js";
import type { AnswerMcp } from "../query/mcp/mcp-server.js";
import type { Tool } from "../query/mcp/tool.js";
import type { Annotation } from "../query/mcp/tools/annotate.js";
import type { ReadContext } from "../query/read-context.js";
import type { StatsRequest } from "../query/stats-route.js";
import { orAborted } from "../query/trace-requests.js";
import { describeError, errorMessage } from "../runtime/describe-error.js";
import { TimeSlice } from "../runtime/time-slice.js";
import type { Foundation } from "./foundation.js";
import type { Pipeline } from "./pipeline.js";
import type { Storage } from "./storage.js";

/** Collaborators of {@link createMcp}. */
export interface McpParts {
  readonly foundation: Foundation;
  readonly storage: Pick<Storage, "store">;
  readonly pipeline: Pick<Pipeline, "evaluation" | "deliver">;
  readonly evaluationLog: EvaluationLog;
  readonly compare: CompareTraces;
  readonly readContext: ReadContext;
  readonly readStats: (request: StatsRequest, signal: AbortSignal) => Promise<Stats>;
}

/** Creates the tools for coding agents, from the code behind the routes. Its modules are loaded with the first request. */
export async function createMcp(parts: McpParts): Promise<AnswerMcp> {
  const { foundation, storage, pipeline, evaluationLog, compare, readContext, readStats } = parts;
  const { config, clock, version, logger } = foundation;
  const { store } = storage;
  const [server, tools, runs, spans, failures, annotations] = await Promise.all([
    import("../query/mcp/mcp-server.js"),
    import("../query/mcp/tools/index.js"),
    import("../query/mcp/read-run.js"),
    import("../query/mcp/read-whole-span.js"),
    import("../query/mcp/read-failures.js"),
    import("../query/mcp/annotation-span.js"),
  ]);
  const readRun = runs.createRunReader({ store, clock });
  const runner = pipeline.evaluation?.runner;
  const all: Tool[] = [
    tools.searchTraces(store),
    tools.getTrace(readRun, spans.createSpanReader(store, clock)),
    tools.compareTracesTool(compare),
    tools.explainCost(readRun),
    tools.explainContext(readRun, readContext),
    tools.getSession(store, evaluationLog),
    tools.getMetrics(readStats),
    tools.listErrors(failures.createFailureReader(store, clock)),
    tools.listEvaluationsTool({
      list: (query, signal) => listEvaluations(query, { log: evaluationLog, store }, signal),
      async summarize(query, signal) {
        await orAborted(evaluationLog.settled(), signal);
        const evaluation = runner?.describe() ?? null;
        const timeSlice = new TimeSlice(clock, signal);
        return await summarizeEvaluations({
          log: evaluationLog,
          query,
          nowMs: clock.now(),
          evaluation,
          timeSlice,
        });
      },
    }),
    tools.evaluate(readRun, (run, { signal, begin }): Promise<EvaluationRunAnswer> =>
      evaluateStored(run, { store, runner, clock }, signal, begin),
    ),
    tools.annotate(readRun, (annotation: Annotation) =>
      pipeline.deliver(annotations.annotationSpan(annotation, clock.now())),
    ),
  ];
  const isAllowed = (tool: Tool): boolean => !tool.isWrite || config["mcp.allow_write"];
  const log = logger.child("mcp");
  return server.createMcpAnswerer({
    version,
    store,
    tools: all.filter(isAllowed),
    refusedTools: all.filter((tool) => !isAllowed(tool)).map(({ name }) => name),
    isMultiTenant: config["multi_tenant.enabled"],
    onError: (where, error) =>
      log.error(`${where}: ${errorMessage(error)}`, { where, error: describeError(error) }),
  });
}
