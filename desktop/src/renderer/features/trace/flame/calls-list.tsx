import {
  attributeOf,
  costOf,
  isFailure,
  oneLine,
  textOf,
  type SpanNode,
} from "@obspan/collector-core/analysis";
import { OpenButton } from "../../../components/open-button.js";
import { Paged } from "../../../components/paged.js";
import { typeClass } from "../../../components/span-icon.js";
import { StatusDot } from "../../../components/status-dot.js";
import { durationText, formatCount } from "../../../format.js";
import { classNames } from "../../../components/class-names.js";
import { callLine } from "../model/call-line.js";
import { Cost } from "../cost.js";
import { Figure } from "../figure.js";
import { useTracePage } from "../trace-page-context.js";
import { RepeatMark } from "../repeat-mark.js";
import textStyles from "../../../components/text.module.css";
import styles from "./frame-pane.module.css";

interface CallsListProps {
  readonly nodes: readonly SpanNode[];
  /** Undefined if there is nothing to compare. */
  readonly slowest: SpanNode | undefined;
  readonly selected: SpanNode | undefined;
  readonly wallMs: number;
  readonly onChoose: (node: SpanNode) => void;
  readonly onOpen: (node: SpanNode) => void;
}

/** The spans of a frame: when they ran, how long, and what came of them. */
export function CallsList({ nodes, slowest, selected, wallMs, onChoose, onOpen }: CallsListProps) {
  const { run } = useTracePage();
  return (
    <div role="table" aria-label="Spans">
      <div className={classNames(styles.row, styles.rowHead)} role="row">
        <span role="columnheader">
          <span className={textStyles.screenReader}>Number</span>
        </span>
        <span role="columnheader" className={styles.right}>
          Start
        </span>
        <span role="columnheader">0 to {durationText(wallMs)}</span>
        <span role="columnheader" className={styles.right}>
          Time
        </span>
        <span role="columnheader">Result</span>
        <span role="columnheader">
          <span className={textStyles.screenReader}>Open</span>
        </span>
      </div>
      <Paged
        items={nodes}
        name="spans"
        renderItem={(node, index) => (
          <div
            className={classNames(styles.row, node === selected && styles.selected)}
            role="row"
            aria-label={`Span ${index + 1}`}
            onClick={() => onChoose(node)}
            onDoubleClick={() => onOpen(node)}
          >
            <span role="cell" className={classNames(textStyles.number, textStyles.faint)}>
              {index + 1}
            </span>
            <span role="cell" className={classNames(textStyles.number, textStyles.dim)}>
              +<Figure ms={node.startMs} />
            </span>
            <Lane node={node} wallMs={wallMs} />
            <span role="cell" className={textStyles.number}>
              {node.endMs === undefined ? (
                <StatusDot status="RUNNING" name="Running" />
              ) : (
                <Figure ms={node.endMs - node.startMs} />
              )}
            </span>
            <span role="cell" className={classNames(styles.result, textStyles.cut)}>
              <Result node={node} />
              {node === slowest && <span className={textStyles.faint}> · slowest</span>}{" "}
              <RepeatMark repeat={run.repeatsBySpan.get(node.id)} isShort />
            </span>
            <span role="cell">
              <OpenButton label={`Open span ${index + 1}`} onOpen={() => onOpen(node)} />
            </span>
          </div>
        )}
      />
    </div>
  );
}

/** When a span ran, on the time of the run. */
function Lane({ node, wallMs }: { node: SpanNode; wallMs: number }) {
  const { startMs, endMs, span } = node;
  const share = (ms: number): number => (wallMs <= 0 ? 0 : Math.min(1, Math.max(0, ms / wallMs)) * 100);
  const left = share(startMs);
  return (
    <span role="cell" className={classNames(styles.lane, typeClass(span.span_type))}>
      <i
        className={isFailure(span) ? styles.failed : undefined}
        style={{ left: `${left}%`, width: `${share(endMs ?? wallMs) - left}%` }}
      />
    </span>
  );
}

/** Characters of a result. */
const LENGTH = 80;

function Result({ node }: { node: SpanNode }) {
  const { span } = node;
  if (isFailure(span)) {
    const reason = textOf(span, "error_message") ?? textOf(span, "error_type") ?? "failed";
    return <span className={textStyles.error}>{oneLine(reason, LENGTH)}</span>;
  }
  const tokens = [attributeOf(span, "tokens_input"), attributeOf(span, "tokens_output")];
  const cost = costOf(span);
  const known = tokens.filter((amount) => typeof amount === "number");
  if (known.length > 0)
    return (
      <span className={textStyles.dim}>
        {known.map(formatCount).join(" → ")}
        {cost !== undefined && (
          <>
            {" · "}
            <Cost cost={cost} />
          </>
        )}
      </span>
    );
  const output = attributeOf(span, "output_text");
  return (
    <span className={textStyles.dim}>{output === undefined ? "" : oneLine(callLine(output), LENGTH)}</span>
  );
}
