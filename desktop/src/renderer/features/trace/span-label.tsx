import { ChevronDown, ChevronRight, Unlink } from "lucide-react";
import type { CSSProperties, MouseEvent } from "react";
import type { SpanNode } from "@obspan/collector-core/analysis";
import { SpanIcon } from "../../components/span-icon.js";
import { StatusDot } from "../../components/status-dot.js";
import { CacheMark } from "./cache-mark.js";
import { Figure } from "./figure.js";
import { lacksParent } from "./model/placement-warnings.js";
import { RepeatMark } from "./repeat-mark.js";
import { StepNumber } from "./step-number.js";
import { useTracePage, useTraceView } from "./trace-page-context.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./span-label.module.css";

/** Width of the step numbers, in pixels: `.label` in span-label.module.css. */
const NUMBERS = 18;
/** Indentation per level, in pixels. */
export const INDENT = 16;

interface SpanLabelProps {
  readonly node: SpanNode;
  /** Undefined if the duration has its own column. */
  readonly durationMs?: number | undefined;
  /** Deeper spans are not indented further, because their names need space. */
  readonly maxIndent: number;
  /** Whether a broken prompt cache is marked here; a bar says it beside itself. */
  readonly marksCache?: boolean;
}

/** A span's name in the tree, with its indentation, fold button, type and status. */
export function SpanLabel({ node, durationMs, maxIndent, marksCache = false }: SpanLabelProps) {
  const { run } = useTracePage();
  const depth = Math.min(node.depth, maxIndent);
  const hint = run.hints.get(node.id);
  const isOfTool = hint?.startsWith("(") === true;
  return (
    <div className={styles.label} role="gridcell" style={{ "--d": depth } as CSSProperties}>
      {Array.from({ length: depth }, (_, level) => (
        <span key={level} className={styles.railLine} style={{ left: NUMBERS + 15 + level * INDENT }} />
      ))}
      <StepNumber number={run.numbers.get(node.id)} />
      <FoldButton node={node} />
      <SpanIcon spanType={node.span.span_type} />
      <b
        className={classNames(textStyles.cut, !isOfTool && styles.named)}
        data-tip={node.span.name}
        dir="auto"
      >
        {node.span.name}
      </b>
      {hint !== undefined && (
        <span className={classNames(styles.hint, textStyles.cut)} data-tip={hint}>
          {hint}
        </span>
      )}
      <SpanStatus node={node} />
      <RepeatMark repeat={run.repeatsBySpan.get(node.id)} isShort />
      {marksCache && <CacheMark ids={[node.id]} />}
      {lacksParent(node) && (
        <span className={styles.orphan} data-tip="The parent span is not in this trace">
          <Unlink className={iconStyles.tiny} aria-label="The parent span is not in this trace" />
        </span>
      )}
      {node.depth > maxIndent && (
        <span className={styles.depth} data-tip={`Level ${node.depth + 1}`}>
          {node.depth + 1}
        </span>
      )}
      {durationMs !== undefined && <Figure ms={durationMs} className={textStyles.dim} />}
    </div>
  );
}

function FoldButton({ node }: { node: SpanNode }) {
  const { view } = useTracePage();
  const isFolded = useTraceView((state) => state.folded.has(node.id));
  if (node.children.length === 0) return <span className={styles.twist} />;
  const Icon = isFolded ? ChevronRight : ChevronDown;
  const toggle = (event: MouseEvent): void => {
    event.stopPropagation();
    view.getState().setFolded(node.id, !isFolded);
  };
  return (
    <span
      className={classNames(styles.twist, styles.on)}
      onClick={toggle}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Icon className={iconStyles.icon} aria-hidden />
    </span>
  );
}

function SpanStatus({ node: { span } }: { node: SpanNode }) {
  if (span.status === "ERROR") {
    const isOwn = span.error_propagated !== true;
    return (
      <span className={isOwn ? styles.mark : classNames(styles.mark, styles.passedOn)}>
        <StatusDot status="ERROR" name={isOwn ? "Failed" : "Failed through a child"} />
      </span>
    );
  }
  if (span.status === "RUNNING") return <StatusDot status="RUNNING" name="Running" />;
  if (span.status === "ABANDONED")
    return <StatusDot status="ABANDONED" name="Abandoned: silent for 30 minutes" />;
  return null;
}
