import { useMemo, useRef, type CSSProperties } from "react";
import {
  costOf,
  numberOf,
  subtotalsOf,
  textOf,
  type SpanNode,
  type Subtotal,
} from "@obspan/collector-core/analysis";
import { durationText, formatCount, formatWhole } from "../../format.js";
import { Cost, costText } from "./cost.js";
import { Figure } from "./figure.js";
import { useElementWidth } from "../../components/use-element-width.js";
import { useTraceNow } from "./hooks/use-trace-now.js";
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
  const { view, tree } = useTracePage();
  const scroller = useRef<HTMLDivElement>(null);
  const width = useElementWidth(scroller);
  const isNarrow = width < NARROW_PX;
  const nowMs = useTraceNow();
  const subtotals = useMemo(() => subtotalsOf(tree, nowMs), [tree, nowMs]);
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
        renderRow={(node) => (
          <TreeRow node={node} subtotal={subtotals.get(node.id)} nowMs={nowMs} isNarrow={isNarrow} />
        )}
      />
    </div>
  );
}

interface TreeRowProps {
  readonly node: SpanNode;
  /** Of a span with calls, tokens or cost below it. */
  readonly subtotal: Subtotal | undefined;
  readonly nowMs: number;
  readonly isNarrow: boolean;
}

function TreeRow({ node, subtotal, nowMs, isNarrow }: TreeRowProps) {
  const { span } = node;
  const tool = textOf(span, "tool_name");
  const label = textOf(span, "model") ?? (tool === span.name ? undefined : tool);
  const isUnknown = span.duration_ms === null && node.endMs !== undefined;
  // A model call repeats what the call inside it says.
  const below = span.span_type === "llm" ? undefined : subtotal;
  const tip = below && subtotalText(below);
  return (
    <>
      <SpanLabel node={node} maxIndent={isNarrow ? 8 : 12} marksCache />
      {!isNarrow && (
        <span
          role="gridcell"
          className={classNames(textStyles.mono, textStyles.cut, textStyles.faint)}
          data-tip={label === undefined ? tip : undefined}
        >
          {label ?? (below && <Calls subtotal={below} />)}
        </span>
      )}
      <span role="gridcell" className={textStyles.number} data-tip={tip}>
        {below === undefined ? <OwnTokens span={span} /> : <SumOfTokens subtotal={below} />}
      </span>
      <span role="gridcell" className={textStyles.number}>
        {below === undefined ? <OwnCost span={span} /> : <SumOfCost subtotal={below} />}
      </span>
      {!isNarrow && (
        <span role="gridcell" className={textStyles.number}>
          <Figure ms={node.startMs} className={textStyles.faint} />
        </span>
      )}
      <span role="gridcell" className={textStyles.number} data-tip={tip}>
        {!isUnknown && <Figure ms={(node.endMs ?? nowMs) - node.startMs} />}
      </span>
    </>
  );
}

/** `3 calls · 2 tools`. */
function Calls({ subtotal: { modelCalls, toolCalls } }: { readonly subtotal: Subtotal }) {
  return (
    <span className={styles.calls}>
      {[
        ...(modelCalls === 0 ? [] : [counted(modelCalls, "call")]),
        ...(toolCalls === 0 ? [] : [counted(toolCalls, "tool")]),
      ].join(" · ")}
    </span>
  );
}

function OwnTokens({ span }: Pick<SpanNode, "span">) {
  const input = numberOf(span, "tokens_input");
  const output = numberOf(span, "tokens_output");
  return (
    <>
      {input !== undefined && formatCount(input)}
      {output !== undefined && (
        <>
          <span className={textStyles.unit}> → </span>
          {formatCount(output)}
        </>
      )}
    </>
  );
}

function OwnCost({ span }: Pick<SpanNode, "span">) {
  const cost = costOf(span);
  return cost === undefined ? null : <Cost cost={cost} />;
}

function SumOfTokens({ subtotal: { tokensInput, tokensOutput } }: { readonly subtotal: Subtotal }) {
  if (tokensInput + tokensOutput === 0) return null;
  return (
    <span className={styles.sum}>
      <Sigma />
      {formatCount(tokensInput)}
      {tokensOutput > 0 && (
        <>
          <span className={textStyles.unit}> → </span>
          {formatCount(tokensOutput)}
        </>
      )}
    </span>
  );
}

function SumOfCost({ subtotal: { costUsd, isComputed } }: { readonly subtotal: Subtotal }) {
  if (costUsd === 0) return null;
  return (
    <span className={styles.sum}>
      <Sigma />
      <Cost cost={{ usd: costUsd, isComputed }} />
    </span>
  );
}

/** Marks a figure of a span and everything below it. */
function Sigma() {
  return (
    <>
      <span className={styles.sigma} aria-hidden>
        Σ
      </span>
      <span className={textStyles.screenReader}>in total </span>
    </>
  );
}

function subtotalText({ modelCalls, modelMs, toolCalls, toolMs, ...sums }: Subtotal): string {
  const lines = [
    ...(modelCalls === 0 ? [] : [`${counted(modelCalls, "model call")}, ${durationText(modelMs)}`]),
    ...(toolCalls === 0
      ? []
      : [`${counted(toolCalls, "tool call")}${toolMs === 0 ? "" : `, ${durationText(toolMs)}`}`]),
    ...(sums.tokensInput + sums.tokensOutput === 0
      ? []
      : [`${formatWhole(sums.tokensInput)} tokens in, ${formatWhole(sums.tokensOutput)} out`]),
    ...(sums.costUsd === 0 ? [] : [costText({ usd: sums.costUsd, isComputed: sums.isComputed })]),
  ];
  return ["This span and everything below it", ...lines].join("\n");
}

function counted(count: number, what: string): string {
  return `${formatWhole(count)} ${what}${count === 1 ? "" : "s"}`;
}
