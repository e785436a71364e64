import { InvalidArgumentError } from "commander";
import { evaluationTypeName } from "../../api-schema/evaluation-types.js";
import { nearest, suggestion } from "../../api-schema/nearest.js";
import type { Unit } from "../../api-schema/query/query-keys.js";
import { readNumberRange } from "../../api-schema/query/query-values.js";
import type { TraceSummary } from "../../api-schema/trace.js";

/** A figure of many runs. */
interface Figure {
  readonly unit: Unit | "ratio" | "score";
  /** The value of one run; undefined if it has none. */
  readonly of: (run: TraceSummary) => number | undefined;
  readonly over: (values: readonly number[]) => number;
}

/** What the runs must be like: `error_rate<0.05`. */
export interface Expectation {
  /** As written. */
  readonly text: string;
  readonly figure: Figure;
  /** The evaluation type that it needs. */
  readonly scoreType: string | undefined;
  /** Undefined for equality. */
  readonly comparison: Comparison;
  readonly bound: number;
}

type Comparison = "<" | "<=" | ">" | ">=" | "=";

/** Whether an expectation is met, and by which value. */
export interface Verdict {
  readonly expectation: Expectation;
  /** Undefined if no run has the figure. */
  readonly value: number | undefined;
  /** It is a cost of which a collector computed some. */
  readonly isEstimate: boolean;
  /** Runs that have the figure. */
  readonly runs: number;
  readonly isMet: boolean;
  /** The runs that are furthest from it, the worst first, if it is missed. */
  readonly worst: readonly TraceSummary[];
}

const MAX_WORST = 3;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const least = (values: readonly number[]): number =>
  values.reduce((lowest, value) => Math.min(lowest, value), Number.POSITIVE_INFINITY);
const most = (values: readonly number[]): number =>
  values.reduce((highest, value) => Math.max(highest, value), Number.NEGATIVE_INFINITY);

/** By nearest rank, as `GET /v1/groups`. */
const percentile =
  (share: number) =>
  (values: readonly number[]): number => {
    const ordered = values.toSorted((a, b) => a - b);
    return ordered[Math.max(Math.ceil(share * ordered.length) - 1, 0)] ?? 0;
  };

const tokensOf = (run: TraceSummary): number => run.tokens_input + run.tokens_output;
const durationOf = ({ duration_ms: ms }: TraceSummary): number => ms;
const ttftOf = ({ ttft_ms: ms }: TraceSummary): number | undefined => ms ?? undefined;
const costOf = ({ cost_usd: usd }: TraceSummary): number => usd;

const FIGURES: ReadonlyMap<string, Figure> = new Map(
  Object.entries({
    runs: { unit: "count", of: () => 1, over: sum },
    error_rate: { unit: "ratio", of: ({ status }) => (status === "ERROR" ? 1 : 0), over: mean },
    errors: { unit: "count", of: ({ error_count: errors }) => errors, over: sum },
    cost: { unit: "usd", of: costOf, over: sum },
    cost_per_run: { unit: "usd", of: costOf, over: mean },
    max_cost: { unit: "usd", of: costOf, over: most },
    tokens_per_run: { unit: "count", of: tokensOf, over: mean },
    max_tokens: { unit: "count", of: tokensOf, over: most },
    llm_calls_per_run: { unit: "count", of: ({ llm_calls: calls }) => calls, over: mean },
    max_llm_calls: { unit: "count", of: ({ llm_calls: calls }) => calls, over: most },
    tool_calls_per_run: { unit: "count", of: ({ tool_calls: calls }) => calls, over: mean },
    max_tool_calls: { unit: "count", of: ({ tool_calls: calls }) => calls, over: most },
    p50: { unit: "ms", of: durationOf, over: percentile(0.5) },
    p95: { unit: "ms", of: durationOf, over: percentile(0.95) },
    p99: { unit: "ms", of: durationOf, over: percentile(0.99) },
    max_duration: { unit: "ms", of: durationOf, over: most },
    ttft_p50: { unit: "ms", of: ttftOf, over: percentile(0.5) },
    ttft_p95: { unit: "ms", of: ttftOf, over: percentile(0.95) },
  } satisfies Record<string, Figure>),
);

/** Names of the figures, for the help. */
export const FIGURE_NAMES = [...FIGURES.keys(), "score:<type>", "min_score:<type>"].join(", ");

/** Parses `score:relevance>=0.7`. @throws InvalidArgumentError */
export function parseExpectation(text: string): Expectation {
  const [, name = "", sign = "", value = ""] =
    /^([^<>=\s]+)\s*(<=|>=|<|>|=)\s*([^<>=\s]+)$/.exec(text.trim()) ?? [];
  if (name === "")
    throw new InvalidArgumentError(
      'It must be a figure, a comparison and a number, such as "error_rate<0.05".',
    );
  const { figure, scoreType } = figureOf(name);
  const bound = numberOf(value, figure.unit);
  if (bound === undefined)
    throw new InvalidArgumentError(`${JSON.stringify(value)} is no ${UNIT_NAMES[figure.unit]}.`);
  return { text: text.trim(), figure, scoreType, comparison: sign as Comparison, bound };
}

const UNIT_NAMES = {
  ratio: "share, such as 0.05 or 5%",
  score: "score from 0 to 1",
  count: "number",
  usd: "cost in USD, such as 0.02",
  ms: "duration, such as 800ms or 2s",
};

function figureOf(name: string): { readonly figure: Figure; readonly scoreType: string | undefined } {
  const figure = FIGURES.get(name);
  if (figure !== undefined) return { figure, scoreType: undefined };
  const [, isLeast, type] = /^(min_)?score:(.+)$/.exec(name) ?? [];
  if (type === undefined)
    throw new InvalidArgumentError(
      `There is no figure ${JSON.stringify(name)}${suggestion(nearest(name, [...FIGURES.keys()]))}: ${FIGURE_NAMES}.`,
    );
  const of = ({ scores }: TraceSummary): number | undefined =>
    (
      scores.find((score) => score.type === type) ??
      scores.find((score) => evaluationTypeName(score.type) === type)
    )?.score;
  return { figure: { unit: "score", of, over: isLeast === undefined ? mean : least }, scoreType: type };
}

function numberOf(text: string, unit: Figure["unit"]): number | undefined {
  const isPercent = unit === "ratio" && text.endsWith("%");
  const plain = unit === "ratio" || unit === "score" ? "count" : unit;
  const range = readNumberRange(isPercent ? text.slice(0, -1) : text, plain);
  if (range === undefined || range.min !== range.max) return undefined;
  return isPercent ? range.min / 100 : range.min;
}

/** Compares runs with what is expected of them. */
export function judge(expectation: Expectation, runs: readonly TraceSummary[]): Verdict {
  const { figure, comparison, bound } = expectation;
  const measured = runs.flatMap((run) => {
    const value = figure.of(run);
    return value === undefined ? [] : [{ run, value }];
  });
  if (measured.length === 0)
    return { expectation, value: undefined, isEstimate: false, runs: 0, isMet: false, worst: [] };
  const value = figure.over(measured.map((each) => each.value));
  const isMet = COMPARISONS[comparison](value, bound);
  const isEstimate = figure.unit === "usd" && measured.some(({ run }) => run.cost_source === "computed");
  const isLow = comparison.startsWith(">");
  const worst = measured
    .filter((each) => !COMPARISONS[comparison](each.value, bound))
    .toSorted((a, b) => (isLow ? a.value - b.value : b.value - a.value))
    .slice(0, MAX_WORST)
    .map(({ run }) => run);
  return { expectation, value, isEstimate, runs: measured.length, isMet, worst: isMet ? [] : worst };
}

const COMPARISONS: Readonly<Record<Comparison, (value: number, bound: number) => boolean>> = {
  "<": (value, bound) => value < bound,
  "<=": (value, bound) => value <= bound,
  ">": (value, bound) => value > bound,
  ">=": (value, bound) => value >= bound,
  "=": (value, bound) => value === bound,
};
