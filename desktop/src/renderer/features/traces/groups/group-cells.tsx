import type { TraceGroup } from "@obspan/collector-core/api-schema";
import { deltaOf, isNotable } from "@obspan/collector-core/analysis";
import type { CSSProperties, ReactNode } from "react";
import { DurationParts } from "../../../components/duration-parts.js";
import { StatusDot } from "../../../components/status-dot.js";
import { durationText, formatCost, formatCount, formatWhole } from "../../../format.js";
import type { GroupsBefore } from "../../../store/groups-store.js";
import { Cost, costOfSum, costText } from "../../trace/cost.js";
import { ScoresCell } from "../scores-cell.js";
import type { GroupColumnId } from "./group-columns.js";
import { classNames } from "../../../components/class-names.js";
import textStyles from "../../../components/text.module.css";
import styles from "./group-cells.module.css";

/** One cell of a row, by its column; that of the value is the row's own. */
export function GroupCell({
  id,
  group,
  before,
}: {
  readonly id: Exclude<GroupColumnId, "value">;
  readonly group: TraceGroup;
  readonly before: GroupsBefore | undefined;
}): ReactNode {
  switch (id) {
    case "runs":
      return (
        <span className={styles.runs}>
          <span className={textStyles.number}>{formatCount(group.runs)}</span>
          <i style={{ "--value": group.runs } as CSSProperties} aria-hidden />
        </span>
      );
    case "errors":
      return <Share ratio={group.error_ratio} />;
    case "p50":
      return <Measured ms={group.p50_ms} />;
    case "p95":
      return (
        <span className={styles.spread} data-tip={spreadText(group)}>
          <Measured ms={group.p95_ms} />
          <i style={{ "--p50": group.p50_ms, "--p95": group.p95_ms } as CSSProperties} aria-hidden>
            <b />
          </i>
        </span>
      );
    case "ttft":
      return group.ttft_p50_ms === null ? <Nothing /> : <Measured ms={group.ttft_p50_ms} isDim />;
    case "tokens":
      return <Tokens group={group} />;
    case "cost":
      return <GroupCost usd={group.cost_usd} group={group} />;
    case "change":
      return before !== undefined && <CostChange group={group} before={before} />;
    case "cost_per_run":
      return <GroupCost usd={group.cost_per_run_usd} group={group} />;
    case "scores":
      return (
        <ScoresCell scores={group.scores.map(({ type, mean }) => ({ type, score: mean, label: null }))} />
      );
  }
}

/** The value of a group. */
export function GroupValue({ by, value }: { readonly by: string; readonly value: string | null }) {
  if (value === null)
    return <span className={textStyles.faint}>{by.startsWith("@") ? "not set" : "none"}</span>;
  const isId = by.startsWith("@") || ["session", "user", "model", "version", "prompt"].includes(by);
  return (
    <>
      {by === "status" && <StatusDot status={value} />}
      <bdi className={classNames(textStyles.cut, isId && textStyles.mono, styles.value)} data-tip={value}>
        {value}
      </bdi>
    </>
  );
}

function Share({ ratio }: { readonly ratio: number }) {
  if (ratio === 0) return <span className={classNames(textStyles.number, textStyles.faint)}>·</span>;
  const percent = ratio * 100;
  return (
    <span className={classNames(textStyles.number, textStyles.error)}>
      {percent < 0.1 ? "<0.1" : percent.toFixed(percent < 10 ? 1 : 0)}
      <span className={textStyles.unit}> %</span>
    </span>
  );
}

function Measured({ ms, isDim = false }: { readonly ms: number; readonly isDim?: boolean }) {
  return (
    <span className={classNames(textStyles.number, isDim && textStyles.dim)}>
      <DurationParts ms={ms} />
    </span>
  );
}

function Tokens({ group: { tokens_input: input, tokens_output: output } }: { readonly group: TraceGroup }) {
  if (input + output === 0) return <Nothing />;
  return (
    <span className={textStyles.number} data-tip={`${formatWhole(input)} in, ${formatWhole(output)} out`}>
      {formatCount(input)}
      <span className={textStyles.unit}> / </span>
      <span className={textStyles.dim}>{formatCount(output)}</span>
    </span>
  );
}

function GroupCost({ usd, group }: { readonly usd: number; readonly group: TraceGroup }) {
  if (usd === 0) return <Nothing />;
  return (
    <span className={textStyles.number}>
      <Cost cost={costOfSum({ ...group, cost_usd: usd })} />
    </span>
  );
}

/** What a group cost, against the time before. */
function CostChange({ group, before }: { readonly group: TraceGroup; readonly before: GroupsBefore }) {
  const earlier = before.groups.get(group.value);
  if (earlier === undefined && !before.isWhole) return <Nothing />;
  const [from, to] = [earlier?.cost_usd ?? 0, group.cost_usd];
  const shown = earlier === undefined ? formatCost(0) : costText(costOfSum(earlier));
  const tip = `${shown} in the same length of time before, ${runsText(earlier?.runs ?? 0)}`;
  if (earlier === undefined) return <span data-tip={tip}>new</span>;
  if (from === 0) return <Nothing />;
  const isWorse = to > from && isNotable("cost_usd", deltaOf(from, to));
  return (
    <span
      className={classNames(textStyles.number, isWorse ? textStyles.error : textStyles.dim)}
      data-tip={tip}
    >
      {factorText(to / from)}
    </span>
  );
}

/** `×3.0`; `+32 %` below the double. */
function factorText(factor: number): string {
  if (factor >= 2) return `×${factor < 10 ? factor.toFixed(1) : formatWhole(Math.round(factor))}`;
  const percent = Math.round((factor - 1) * 100);
  return percent === 0 ? "same" : `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`;
}

function runsText(runs: number): string {
  return `${formatWhole(runs)} ${runs === 1 ? "run" : "runs"}`;
}

function Nothing() {
  return <span className={classNames(textStyles.number, textStyles.faint)}>–</span>;
}

function spreadText({ p50_ms: p50, p95_ms: p95 }: TraceGroup): string {
  return `Half of the runs take ${durationText(p50)} or less\n95 % take ${durationText(p95)} or less`;
}
