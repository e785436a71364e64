import type { Evaluation, EvaluationSummary, EvaluationSummaryQuery } from "../contract/evaluations.js";
import { evaluationTypeName } from "../contract/evaluation-types.js";
import { timeOf, type EvaluationLog, type LoggedEvaluation } from "./evaluation-log.js";

const DAY_MS = 86_400_000;
const DEFAULT_POINTS = 60;
const TENTHS = 10;
const MAX_GROUPS = 50;
const MAX_DEPLOYMENTS = 20;

/** What {@link summarizeEvaluations} is given. */
export interface SummaryOptions {
  readonly log: EvaluationLog;
  readonly query: EvaluationSummaryQuery;
  /** Wall clock. */
  readonly nowMs: number;
  readonly evaluation: EvaluationSummary["evaluation"];
}

/** Adds up the evaluations of a while: by default of the last day. */
export function summarizeEvaluations({ log, query, nowMs, evaluation }: SummaryOptions): EvaluationSummary {
  const { points = DEFAULT_POINTS, since, until, ...filters } = query;
  const untilMs = until === undefined ? nowMs : timeOf("until", until);
  const sinceMs = since === undefined ? untilMs - DAY_MS : timeOf("since", since);
  const found = log.select({
    ...filters,
    since: new Date(sinceMs).toISOString(),
    // What ends now is in it.
    until: new Date(untilMs + 1).toISOString(),
  });
  const scored = found.filter(isScored);
  const pointMs = Math.max(1, untilMs + 1 - sinceMs) / points;
  const judged = found.filter(({ evaluation: { judge_model: model } }) => model !== null);
  return {
    since: new Date(sinceMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    oldest: log.oldest?.evaluation.time ?? null,
    types: [...groupBy(scored, ({ evaluation: each }) => evaluationTypeName(each.type))]
      .map(([type, group]) => typeSummary(type, group))
      .sort((a, b) => b.count - a.count),
    by_agent: means(scored, "agent"),
    by_model: means(scored, "model"),
    outcomes: countOutcomes(found),
    judge: {
      calls: judged.length,
      ...latencies(judged.flatMap(({ evaluation: each }) => each.duration_ms ?? [])),
      cost_usd: sum(judged.map(({ evaluation: each }) => each.cost_usd ?? 0)),
    },
    deployments: deploymentsIn(found),
    evaluation,
  };

  function typeSummary(type: string, group: readonly Scored[]): EvaluationSummary["types"][number] {
    const direction = group.at(-1)?.evaluation.direction ?? "maximize";
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

function means(scored: readonly Scored[], field: "agent" | "model"): EvaluationSummary["by_agent"] {
  return [...groupBy(scored, ({ evaluation: each }) => each[field] ?? "")]
    .filter(([value]) => value !== "")
    .map(([value, group]) => ({
      value,
      count: group.length,
      means: Object.fromEntries(
        [...groupBy(group, ({ evaluation: each }) => evaluationTypeName(each.type))].map(([type, each]) => [
          type,
          meanOf(each),
        ]),
      ),
    }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_GROUPS);
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

/** The first evaluation of each version but the first of its service: those were there before. */
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

/** Of a group that is not empty, as groups are. */
function meanOf(group: readonly Scored[]): number {
  return sum(group.map(({ evaluation: { score } }) => score)) / group.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
