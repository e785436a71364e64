import type { Evaluation, EvaluationSummary, EvaluationSummaryQuery } from "../api-schema/evaluations.js";
import { evaluationTypeName } from "../api-schema/evaluation-types.js";
import { OTHER_LABEL_VALUE } from "../api-schema/metrics.js";
import { finiteSum } from "../span/finite-sum.js";
import { requireTimestamp } from "../span/required-timestamp.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import type { EvaluationLog, LoggedEvaluation } from "./evaluation-log.js";

const DAY_MS = 86_400_000;
const DEFAULT_POINTS = 60;
const TENTHS = 10;
/** Types, agents and models with a group of their own. */
const MAX_GROUPS = 50;
const MAX_DEPLOYMENTS = 20;
/** Evaluations between two reads of the clock. */
const ITEMS_PER_CLOCK_READ = 500;

/** Options of {@link summarizeEvaluations}. */
export interface SummaryOptions {
  readonly log: EvaluationLog;
  readonly query: EvaluationSummaryQuery;
  /** Wall clock. */
  readonly nowMs: number;
  readonly evaluation: EvaluationSummary["evaluation"];
  readonly timeSlice: TimeSlice;
}

/** Summarizes the evaluations of a time range. Default: the last day. */
export async function summarizeEvaluations({
  log,
  query,
  nowMs,
  evaluation,
  timeSlice,
}: SummaryOptions): Promise<EvaluationSummary> {
  const { points = DEFAULT_POINTS, since, until, ...filters } = query;
  const untilMs = requireTimestamp(until, "until")?.epochMs ?? nowMs;
  const sinceMs = requireTimestamp(since, "since")?.epochMs ?? untilMs - DAY_MS;
  const oldest = log.oldest?.evaluation.time ?? null;
  // Includes evaluations that end in this millisecond.
  const found = log.select(filters, { sinceMs, untilMs: untilMs + 1 });
  const scored = found.filter(isScored);
  const pointMs = Math.max(1, untilMs + 1 - sinceMs) / points;
  if (timeSlice.isOver()) await timeSlice.next();
  const byType = await groupBy(scored, ({ evaluation: each }) => evaluationTypeName(each.type), timeSlice);
  const shownTypes = new Set(
    mostFrequent([...byType].filter(([type]) => type !== OTHER_LABEL_VALUE)).map(([type]) => type),
  );
  const shownType = ({ evaluation: each }: Scored): string => {
    const type = evaluationTypeName(each.type);
    return shownTypes.has(type) ? type : OTHER_LABEL_VALUE;
  };
  const others = await groupBy(
    scored.filter((each) => shownType(each) === OTHER_LABEL_VALUE),
    shownType,
    timeSlice,
  );
  const types: EvaluationSummary["types"] = [];
  for (const type of [...shownTypes, ...others.keys()]) {
    types.push(typeSummary(type, others.get(type) ?? byType.get(type) ?? []));
    if (timeSlice.isOver()) await timeSlice.next();
  }
  const byAgent = await means(scored, "agent", shownType, timeSlice);
  const byModel = await means(scored, "model", shownType, timeSlice);
  const deployments = deploymentsIn(found);
  if (timeSlice.isOver()) await timeSlice.next();
  const judged = found.filter(({ evaluation: { judge_model: model } }) => model !== null);
  return {
    since: new Date(sinceMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    oldest,
    types,
    by_agent: byAgent,
    by_model: byModel,
    outcomes: countOutcomes(found),
    judge: {
      calls: judged.length,
      ...latencies(judged.flatMap(({ evaluation: each }) => each.duration_ms ?? [])),
      cost_usd: sum(judged.map(({ evaluation: each }) => each.cost_usd ?? 0)),
    },
    deployments,
    evaluation,
  };

  function typeSummary(type: string, group: readonly Scored[]): EvaluationSummary["types"][number] {
    // The group of other types mixes directions.
    const isMixed = type === OTHER_LABEL_VALUE;
    const direction = isMixed ? "neutral" : (group.at(-1)?.evaluation.direction ?? "maximize");
    const series = Array.from({ length: points }, () => ({ sum: 0, count: 0 }));
    const distribution = Array.from({ length: TENTHS }, () => 0);
    for (const { endedAtMs, evaluation } of group) {
      const { score } = evaluation;
      const point = series[Math.min(points - 1, Math.floor((endedAtMs - sinceMs) / pointMs))];
      if (point !== undefined) {
        point.sum += score;
        point.count++;
      }
      const tenth = Math.min(TENTHS - 1, Math.floor(score * TENTHS));
      distribution[tenth] = (distribution[tenth] ?? 0) + 1;
    }
    return {
      type,
      direction,
      threshold: log.thresholdOf(type, direction),
      count: group.length,
      mean: meanOf(group),
      past_threshold: group.filter(({ evaluation: each }) => each.past_threshold).length,
      series: series.map(({ sum, count }) => (count === 0 ? null : sum / count)),
      distribution,
    };
  }
}

interface Scored extends LoggedEvaluation {
  readonly evaluation: Evaluation & { readonly score: number };
}

function isScored(entry: LoggedEvaluation): entry is Scored {
  return entry.evaluation.score !== null;
}

async function means(
  scored: readonly Scored[],
  field: "agent" | "model",
  typeOf: (entry: Scored) => string,
  timeSlice: TimeSlice,
): Promise<EvaluationSummary["by_agent"]> {
  const groups = await groupBy(scored, ({ evaluation: each }) => each[field] ?? "", timeSlice);
  groups.delete("");
  const rows: EvaluationSummary["by_agent"] = [];
  for (const [value, group] of mostFrequent([...groups])) {
    const byType = await groupBy(group, typeOf, timeSlice);
    const ofTypes = Object.fromEntries([...byType].map(([type, each]) => [type, meanOf(each)]));
    rows.push({ value, count: group.length, means: ofTypes });
  }
  return rows;
}

/** The largest groups. */
function mostFrequent<T>(groups: readonly (readonly [string, readonly T[]])[]): [string, readonly T[]][] {
  return groups
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_GROUPS)
    .map(([value, group]) => [value, group]);
}

function countOutcomes(found: readonly LoggedEvaluation[]): EvaluationSummary["outcomes"] {
  const outcomes = { completed: 0, timeout: 0, error: 0, malformed: 0 };
  for (const { evaluation } of found) {
    const { outcome } = evaluation;
    if (isCounted(outcome, outcomes)) outcomes[outcome]++;
  }
  return outcomes;
}

function isCounted<T extends object>(outcome: PropertyKey, outcomes: T): outcome is keyof T {
  return Object.hasOwn(outcomes, outcome);
}

/** The first evaluation of each new version of a service. The first version seen is no deployment. */
function deploymentsIn(found: readonly LoggedEvaluation[]): EvaluationSummary["deployments"] {
  const seen = new Map<string, Set<string>>();
  const deployments: EvaluationSummary["deployments"] = [];
  for (const { version, evaluation } of found.toSorted((a, b) => a.endedAtMs - b.endedAtMs)) {
    if (version === undefined || version === "") continue;
    const versions = seen.get(evaluation.service) ?? new Set();
    seen.set(evaluation.service, versions);
    if (versions.size > 0 && !versions.has(version))
      deployments.push({ time: evaluation.time, service: evaluation.service, version });
    versions.add(version);
  }
  return deployments.slice(-MAX_DEPLOYMENTS);
}

function latencies(values: readonly number[]): Pick<EvaluationSummary["judge"], "p50_ms" | "p95_ms"> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number | null => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
  return { p50_ms: at(0.5), p95_ms: at(0.95) };
}

/** Requires a non-empty group. */
function meanOf(group: readonly Scored[]): number {
  return sum(group.map(({ evaluation: { score } }) => score)) / group.length;
}

function sum(values: readonly number[]): number {
  return values.reduce(finiteSum, 0);
}

async function groupBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  timeSlice: TimeSlice,
): Promise<Map<string, T[]>> {
  const groups = new Map<string, T[]>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
    if (index % ITEMS_PER_CLOCK_READ === 0 && timeSlice.isOver()) await timeSlice.next();
  }
  return groups;
}
