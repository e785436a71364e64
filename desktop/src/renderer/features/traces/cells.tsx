import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { Check } from "lucide-react";
import { DurationParts } from "../../components/duration-parts.js";
import { StatusDot } from "../../components/status-dot.js";
import { formatCount, formatDay, formatTime } from "../../format.js";
import { traceHref } from "../trace/trace-address.js";
import type { ColumnId } from "./columns.js";
import { DurationCell } from "./duration-cell.js";
import { ScoresCell } from "./scores-cell.js";
import { isToday } from "./days.js";
import { Cost, costOfSum } from "../trace/cost.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./cells.module.css";

interface CellProps {
  readonly trace: TraceSummary;
}

/** One cell of a row, by its column. */
export function Cell({ id, trace, isSelected }: CellProps & { id: ColumnId; isSelected: boolean }) {
  switch (id) {
    case "status":
      return <StatusCell trace={trace} isSelected={isSelected} />;
    case "name":
      return (
        <a
          className={classNames(textStyles.cut, styles.name)}
          href={addressOf(trace)}
          tabIndex={-1}
          data-tip={trace.root_name}
          dir="auto"
        >
          {trace.root_name}
        </a>
      );
    case "tenant":
      return (
        <span className={classNames(textStyles.cut, textStyles.dim)} data-tip={trace.tenant}>
          {trace.tenant}
        </span>
      );
    case "agent":
      return (
        <span className={classNames(textStyles.cut, textStyles.dim)} dir="auto">
          {trace.agent ?? <span className={textStyles.faint}>–</span>}
        </span>
      );
    case "models":
      return <ModelsCell trace={trace} />;
    case "io":
      return <InputOutputCell trace={trace} />;
    case "scores":
      return <ScoresCell scores={trace.scores} />;
    case "start":
      return <StartCell trace={trace} />;
    case "duration":
      return <DurationCell trace={trace} />;
    case "ttft":
      return <TtftCell trace={trace} />;
    case "tokens":
      return <TokensCell trace={trace} />;
    case "cost":
      return trace.cost_usd === 0 ? (
        <span className={classNames(textStyles.number, textStyles.faint)}>–</span>
      ) : (
        <span className={classNames(textStyles.number, styles.cost)}>
          <Cost cost={costOfSum(trace)} />
        </span>
      );
    case "spans":
      return <SpansCell trace={trace} />;
    case "errors":
      return trace.error_count === 0 ? (
        <span className={classNames(textStyles.number, textStyles.faint)} aria-label="0">
          ·
        </span>
      ) : (
        <span className={classNames(textStyles.number, textStyles.error)}>
          {formatCount(trace.error_count)}
        </span>
      );
  }
}

/** URL of a row's trace. */
export function addressOf({ trace_id: traceId, tenant }: TraceSummary): string {
  return traceHref({ traceId, tenant });
}

function StatusCell({ trace, isSelected }: CellProps & { isSelected: boolean }) {
  return (
    <span className={styles.lead} data-selects data-tip={isSelected ? "Selected" : undefined}>
      {!isSelected && <StatusDot status={trace.status} />}
      <span
        className={isSelected ? classNames(tableStyles.check, tableStyles.on) : tableStyles.check}
        aria-hidden
      >
        {isSelected && <Check className={iconStyles.icon} />}
      </span>
      {isSelected && <span className={textStyles.screenReader}>{trace.status}</span>}
    </span>
  );
}

function ModelsCell({ trace: { models } }: CellProps) {
  const [first] = models;
  if (first === undefined) return <span className={textStyles.faint}>–</span>;
  return (
    <span className={styles.models} data-tip={models.join("\n")}>
      <span className={classNames(textStyles.cut, textStyles.mono, textStyles.dim)}>{first}</span>
      {models.length > 1 && <span className={textStyles.count}>+{models.length - 1}</span>}
    </span>
  );
}

function InputOutputCell({ trace }: CellProps) {
  const { input_preview: input, status } = trace;
  const output = outputOf(trace);
  if (input === null && output === null) return <span className={textStyles.faint}>–</span>;
  const tone = status === "ERROR" ? textStyles.error : trace.running ? textStyles.running : undefined;
  return (
    <span className={styles.io}>
      {input !== null && (
        <span className={classNames(styles.in, textStyles.cut)} dir="auto">
          {input}
        </span>
      )}
      <span className={styles.arrow}>→</span>
      {output === null ? (
        <span className={textStyles.faint}>–</span>
      ) : (
        <span className={classNames(styles.out, textStyles.cut, tone)} dir="auto">
          {output}
        </span>
      )}
    </span>
  );
}

/** The output; for a failed trace, the error. */
function outputOf({ output_preview: output, status, error_type: errorType, running }: TraceSummary) {
  if (status === "ERROR" && errorType !== null)
    return output === null ? errorType : `${errorType} · ${output}`;
  return output ?? (running ? "running…" : null);
}

function StartCell({ trace: { start_time: start } }: CellProps) {
  const title = `${formatDay(start)} ${formatTime(start)}`;
  return (
    <span className={classNames(textStyles.number, textStyles.dim)} data-tip={title}>
      {!isToday(start) && <span className={textStyles.unit}>{formatDay(start)} </span>}
      {formatTime(start)}
    </span>
  );
}

function TtftCell({ trace: { ttft_ms: ttftMs } }: CellProps) {
  if (ttftMs === null) return <span className={classNames(textStyles.number, textStyles.faint)}>–</span>;
  return (
    <span className={classNames(textStyles.number, textStyles.dim)}>
      <DurationParts ms={ttftMs} />
    </span>
  );
}

function TokensCell({ trace: { tokens_input: input, tokens_output: output } }: CellProps) {
  if (input === 0 && output === 0)
    return <span className={classNames(textStyles.number, textStyles.faint)}>–</span>;
  return (
    <span className={textStyles.number}>
      {formatCount(input)}
      <span className={textStyles.unit}> / </span>
      <span className={textStyles.dim}>{formatCount(output)}</span>
    </span>
  );
}

function SpansCell({ trace: { span_count: count, dropped_spans: dropped } }: CellProps) {
  const title = dropped === 0 ? undefined : `${dropped} more were dropped (trace_store.max_spans_per_trace)`;
  return (
    <span className={classNames(textStyles.number, textStyles.dim)} data-tip={title}>
      {formatCount(count)}
      {dropped > 0 && <span className={textStyles.unit}>+</span>}
    </span>
  );
}
