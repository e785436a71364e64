import type { HasValue } from "../../api-schema/query/query-keys.js";
import { copyText } from "../../span/kept-text.js";
import type { SpanLabels } from "./span-labels.js";
import type { TraceTotals } from "./trace-totals.js";

/** Fields of a trace by which it is filtered. */
export const VALUE_FIELDS = [
  "service",
  "env",
  "version",
  "agent",
  "model",
  "provider",
  "tool",
  "error_type",
  "span_type",
  "evaluation_type",
  "prompt",
  "prompt_name",
  "prompt_version",
  "has",
] as const;
/** One of {@link VALUE_FIELDS}. */
export type ValueField = (typeof VALUE_FIELDS)[number];

/**
 * A value of the field `has`. The empty output of a tool is asked for by a key of its own; that a collector computed some of the
 * cost is not asked for.
 */
export type TraceMark = HasValue | "empty_tool_output" | "computed_cost";

/** Values of a trace, by which it is filtered and counted too. */
export interface SingleValues {
  readonly tenant: string;
  readonly status: string;
  readonly hasEvaluation: boolean;
}

/**
 * The distinct values of all spans of a trace, which may pass several services and agents. Absent values are left out.
 * Evaluations add only their span type and evaluation type.
 */
export interface TraceValues extends SingleValues, Readonly<Record<ValueField, readonly string[]>> {}

/** Values of dropped spans. */
export type DroppedValues = Pick<
  TraceTotals,
  "models" | "providers" | "tools" | "prompts" | "agent" | "errorCategory" | "errorCount"
>;

/** Marks that are not in the labels of spans, as bits. */
export const MARK = { image: 1, emptyToolOutput: 2, scored: 4, computedCost: 8 } as const;

/** Interned combinations of values; apps have a few dozen. */
const MAX_INTERNED = 4096;

/** Interns equal values: ten thousand traces of an app share a few combinations, each of which is filtered and counted once. */
export class TraceValuesTable {
  readonly #known = new Map<string, TraceValues>();

  /**
   * The values of a trace whose spans have these distinct labels.
   *
   * @param marks - see {@link MARK}.
   * @param dropped - with dropped values the result is not interned.
   */
  of(
    labels: readonly SpanLabels[],
    single: SingleValues,
    marks: number,
    dropped: DroppedValues | undefined,
  ): TraceValues {
    if (dropped !== undefined) return valuesOf(labels, single, marks, dropped);
    const serials = labels.map(({ serial }) => serial).sort((a, b) => a - b);
    const { tenant, status, hasEvaluation } = single;
    const key = `${serials.join()}${hasEvaluation ? "+" : "-"}${marks}:${status.length}:${status}${tenant}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Serials are unique, so that clearing costs no more than duplicates.
    if (this.#known.size === MAX_INTERNED) this.#known.clear();
    const values = valuesOf(labels, single, marks, undefined);
    this.#known.set(key, values);
    return values;
  }

  clear(): void {
    this.#known.clear();
  }
}

function valuesOf(
  labels: readonly SpanLabels[],
  { tenant, status, hasEvaluation }: SingleValues,
  marks: number,
  dropped: DroppedValues | undefined,
): TraceValues {
  const found = Object.fromEntries(VALUE_FIELDS.map((field) => [field, new Set<string>()])) as Record<
    ValueField,
    Set<string>
  >;
  const has = found.has as Set<TraceMark>;
  if (dropped !== undefined) addDropped(found, dropped);
  const ofSpans = labels.filter(({ spanType }) => spanType !== "evaluation");
  for (const each of ofSpans) {
    found.agent.add(each.agent);
    found.model.add(each.model);
    found.provider.add(each.provider);
    found.tool.add(each.toolName);
    found.error_type.add(each.errorCategory);
    if (each.status === "ERROR") has.add(each.spanType === "tool" ? "tool_error" : "error");
    addPrompt(found, each.promptName, each.promptVersion);
  }
  for (const { spanType, evaluationType } of labels) {
    found.span_type.add(spanType);
    found.evaluation_type.add(evaluationType);
  }
  // A trace of evaluations only takes service, env and version from them.
  for (const { service, env, version = "" } of ofSpans.length > 0 ? ofSpans : labels) {
    found.service.add(service);
    found.env.add(env);
    found.version.add(version);
  }
  if (status === "ERROR" || has.has("tool_error") || (dropped?.errorCount ?? 0) > 0) has.add("error");
  if ((marks & MARK.scored) !== 0) has.add("score");
  if ((marks & MARK.image) !== 0) has.add("image");
  if ((marks & MARK.emptyToolOutput) !== 0) has.add("empty_tool_output");
  if ((marks & MARK.computedCost) !== 0) has.add("computed_cost");
  const listed = (field: ValueField): string[] => [...found[field]].filter((value) => value !== "");
  const lists = Object.fromEntries(VALUE_FIELDS.map((field) => [field, listed(field)])) as Record<
    ValueField,
    string[]
  >;
  return { tenant, status, hasEvaluation, ...lists };
}

/** `name` and `name@version`, as in the summary. */
function addPrompt(found: Readonly<Record<ValueField, Set<string>>>, name: string, version: string): void {
  found.prompt_name.add(name);
  found.prompt_version.add(version);
  found.prompt.add(version === "" || name === "" ? name : `${name}@${version}`);
}

function addDropped(found: Readonly<Record<ValueField, Set<string>>>, dropped: DroppedValues): void {
  for (const model of dropped.models) found.model.add(model);
  for (const provider of dropped.providers.toArray()) found.provider.add(provider);
  for (const tool of dropped.tools.toArray()) found.tool.add(tool);
  for (const prompt of dropped.prompts.toArray()) {
    // The version follows the last @.
    const at = prompt.lastIndexOf("@");
    found.prompt.add(prompt);
    found.prompt_name.add(at > 0 ? copyText(prompt.slice(0, at)) : prompt);
    if (at > 0) found.prompt_version.add(copyText(prompt.slice(at + 1)));
  }
  found.agent.add(dropped.agent);
  found.error_type.add(dropped.errorCategory);
}
