import { comparisonMarkdown } from "@obspan/collector-core/analysis";
import type { TraceComparison, TraceSummary } from "@obspan/collector-core/api-schema";
import { ArrowLeftRight } from "lucide-react";
import { Link } from "wouter";
import { CopyMarkdown } from "../../components/copy-markdown.js";
import { Segmented } from "../../components/segmented.js";
import { StatusDot } from "../../components/status-dot.js";
import { formatDay, formatTime, shortenId } from "../../format.js";
import { traceHref } from "../trace/trace-address.js";
import type { CompareView } from "./compare-address.js";
import { distanceText } from "./model/distance-text.js";
import { RunChooser } from "./run-chooser.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./compare-head.module.css";

interface CompareHeadProps {
  readonly comparison: TraceComparison;
  readonly view: CompareView;
  readonly setView: (view: CompareView) => void;
  readonly swap: () => void;
}

const VIEWS = [
  { value: "spans", content: "Spans", title: "Steps with their times  1" },
  { value: "prompts", content: "Prompts", title: "What each step got and gave  2" },
] as const;

/** Both runs, and the views. */
export function CompareHead({ comparison, view, setView, swap }: CompareHeadProps) {
  const { a, b } = comparison;
  return (
    <header className={styles.head}>
      <RunSide side="a" run={a} other={b} />
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.square)}
        aria-label="Swap A and B"
        data-tip="Swap A and B  S"
        onClick={swap}
      >
        <ArrowLeftRight className={iconStyles.icon} aria-hidden />
      </button>
      <RunSide side="b" run={b} other={a} />
      <span className={textStyles.grow} />
      <Segmented label="View" choices={VIEWS} chosen={view} onChoose={setView} />
      <CopyMarkdown text={() => comparisonMarkdown(comparison)} nameClass={styles.copyName} />
    </header>
  );
}

function RunSide({ side, run, other }: { side: "a" | "b"; run: TraceSummary; other: TraceSummary }) {
  const { trace_id: id, tenant, version } = run;
  const distance = side === "a" ? distanceText(run.start_time, other.start_time) : undefined;
  return (
    <div className={styles.side}>
      <span className={side === "a" ? styles.tag : classNames(styles.tag, styles.b)}>
        {side.toUpperCase()}
      </span>
      <StatusDot status={run.status} />
      <Link
        className={classNames(styles.name, textStyles.cut)}
        href={traceHref({ traceId: id, tenant })}
        data-tip={`${run.root_name}\n${id}`}
      >
        {nameOf(run, other)}
      </Link>
      <span className={classNames(textStyles.mono, textStyles.faint, styles.id)}>{shortenId(id, 9)}</span>
      <span className={classNames(textStyles.dim, textStyles.cut, styles.when)}>
        {[`${formatTime(run.start_time)} ${formatDay(run.start_time)}`, version, distance]
          .filter((part) => part !== null && part !== undefined && part !== "")
          .join(" · ")}
      </span>
      <RunChooser side={side} />
    </div>
  );
}

/** Two runs of one name are told apart by their order. */
function nameOf(run: TraceSummary, other: TraceSummary): string {
  if (run.root_name !== other.root_name) return run.root_name;
  return Date.parse(run.start_time) < Date.parse(other.start_time) ? "Earlier run" : "Later run";
}
