import { useRef, type CSSProperties } from "react";
import { formatCost, formatCount } from "../../format.js";
import { Figure } from "./figure.js";
import { useElementWidth } from "../../components/use-element-width.js";
import { useTraceNow } from "./hooks/use-trace-now.js";
import { numberOf, textOf } from "./model/span-facts.js";
import type { SpanNode } from "./model/span-tree.js";
import { SpanGrid } from "./span-grid.js";
import { SpanLabel } from "./span-label.js";
import { useTracePage } from "./trace-page-context.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./tree-view.module.css";

/** Below this width, the least important columns are left out. */
const NARROW_PX = 740;

/** The spans as a tree, with their figures in columns. */
export function TreeView() {
  const { view } = useTracePage();
  const scroller = useRef<HTMLDivElement>(null);
  const width = useElementWidth(scroller);
  const isNarrow = width < NARROW_PX;
  const nowMs = useTraceNow();
  const style = { "--width": `${width}px` } as CSSProperties;
  return (
    <div className={isNarrow ? classNames(styles.treeView, styles.narrow) : styles.treeView} style={style}>
      <div className={styles.treeHead} aria-hidden>
        <span>Span</span>
        {!isNarrow && <span>Model or tool</span>}
        <span className={styles.right}>Tokens</span>
        <span className={styles.right}>Cost</span>
        {!isNarrow && <span className={styles.right}>Start</span>}
        <span className={styles.right}>Duration</span>
      </div>
      <SpanGrid
        scroller={scroller}
        style={{}}
        columns={isNarrow ? 4 : 6}
        onOpen={({ id, children }) => {
          if (children.length > 0) view.getState().setFolded(id, !view.getState().folded.has(id));
        }}
        renderRow={(node) => <TreeRow node={node} nowMs={nowMs} isNarrow={isNarrow} />}
      />
    </div>
  );
}

function TreeRow({ node, nowMs, isNarrow }: { node: SpanNode; nowMs: number; isNarrow: boolean }) {
  const { span } = node;
  const tool = textOf(span, "tool_name");
  const input = numberOf(span, "tokens_input");
  const output = numberOf(span, "tokens_output");
  const cost = numberOf(span, "cost_usd");
  const isUnknown = span.duration_ms === null && node.endMs !== undefined;
  return (
    <>
      <SpanLabel node={node} maxIndent={isNarrow ? 8 : 12} />
      {!isNarrow && (
        <span role="gridcell" className={classNames(textStyles.mono, textStyles.cut, textStyles.faint)}>
          {textOf(span, "model") ?? (tool === span.name ? undefined : tool)}
        </span>
      )}
      <span role="gridcell" className={textStyles.number}>
        {input !== undefined && formatCount(input)}
        {output !== undefined && (
          <>
            <span className={textStyles.unit}> → </span>
            {formatCount(output)}
          </>
        )}
      </span>
      <span role="gridcell" className={textStyles.number}>
        {cost !== undefined && formatCost(cost)}
      </span>
      {!isNarrow && (
        <span role="gridcell" className={textStyles.number}>
          <Figure ms={node.startMs} className={textStyles.faint} />
        </span>
      )}
      <span role="gridcell" className={textStyles.number}>
        {!isUnknown && <Figure ms={(node.endMs ?? nowMs) - node.startMs} />}
      </span>
    </>
  );
}
