import { agentName, type GraphNode, type SpanNode } from "@obspan/collector-core/analysis";
import { X } from "lucide-react";
import { useState } from "react";
import { Segmented } from "../../../components/segmented.js";
import { SpanIcon } from "../../../components/span-icon.js";
import { formatWhole } from "../../../format.js";
import { classNames } from "../../../components/class-names.js";
import { Figure } from "../figure.js";
import { CallsList } from "../flame/calls-list.js";
import { ModelCallsTable, type CallGroup } from "../groups/model-calls-table.js";
import { StatsLine, type Stat } from "../groups/stats-line.js";
import { focusSpans } from "../hooks/use-selection.js";
import { IconButton } from "../icon-button.js";
import { useTracePage } from "../trace-page-context.js";
import { CostOf, loopText, nameOf } from "./graph-node.js";
import { LoopsList } from "./loops-list.js";
import { MembersList } from "./members-list.js";
import { useGraph } from "./use-graph.js";
import badgeStyles from "../../../components/badge.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "../flame/frame-pane.module.css";

const ORDERS = [
  { value: "agent", content: "By agent" },
  { value: "time", content: "By time" },
] as const;

/** The chosen node of the graph: its figures, its spans, and the loops that it is part of. */
export default function NodePane() {
  const { view, tree, selected, isNarrow } = useTracePage();
  const { graph, current: node } = useGraph();
  const [order, setOrder] = useState<(typeof ORDERS)[number]["value"]>("agent");
  if (node === undefined) return null;
  const choose = ({ id }: SpanNode): void => view.getState().chooseNode(node.id, id);
  const open = (span: SpanNode): void => {
    choose(span);
    view.getState().setSpanOpen(true);
  };
  const close = (): void => {
    view.getState().closeOverlay();
    focusSpans();
  };
  const loops = graph.loops.filter(({ nodeId }) => nodeId === node.id);
  const edges = graph.edges.filter(({ from, to }) => from === node.id || to === node.id).length;
  return (
    <div className={styles.pane} tabIndex={0} role="region" aria-label="Selected node">
      <div className={styles.head}>
        <SpanIcon spanType={node.type} />
        <h2 className={textStyles.cut} data-tip={node.name} dir="auto">
          {nameOf(node)}
        </h2>
        <span className={classNames(textStyles.faint, textStyles.cut)}>{noteOf(node)}</span>
        <span className={textStyles.grow} />
        {loops.slice(0, 1).map((loop) => (
          <span key={loop.span.id} className={badgeStyles.warn}>
            {loopText(loop)}
          </span>
        ))}
        {isNarrow && <IconButton icon={X} name="Close" keys="Esc" onClick={close} />}
      </div>
      <StatsLine stats={statsOf(node)} />
      <section className={styles.calls} aria-label="Spans of this node">
        <header>
          <h3>
            {formatWhole(node.spans.length)} {node.spans.length === 1 ? "span" : "spans"} behind this node
          </h3>
          <span className={textStyles.faint}>
            {edges} {edges === 1 ? "edge" : "edges"}
          </span>
          <span className={textStyles.grow} />
          {node.kind === "model" && (
            <Segmented
              label="Order of the calls"
              choices={ORDERS}
              chosen={order}
              onChoose={setOrder}
              isSmall
            />
          )}
        </header>
        {node.kind === "model" ? (
          <ModelCallsTable
            key={node.id}
            groups={order === "agent" ? byAgent(node.spans) : [{ name: "", nodes: node.spans }]}
            selected={selected}
            onChoose={choose}
            onOpen={open}
          />
        ) : (
          <CallsList
            key={node.id}
            nodes={node.spans}
            slowest={undefined}
            selected={selected}
            wallMs={tree.endMs}
            onChoose={choose}
            onOpen={open}
          />
        )}
      </section>
      <MembersList key={`${node.id} folded`} node={node} />
      <LoopsList />
    </div>
  );
}

/** The calls by the agent that made them, agents in the order of their first call. */
function byAgent(nodes: readonly SpanNode[]): CallGroup[] {
  const groups = new Map<string, SpanNode[]>();
  for (const node of nodes) {
    const agent = node.agent;
    const name = agent === undefined ? "outside of agents" : agentName(agent);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [node]);
    else group.push(node);
  }
  return [...groups].map(([name, list]) => ({ name, nodes: list }));
}

function noteOf({ kind, note, server, members }: GraphNode): string {
  const folded = members.length > 0 ? `${formatWhole(members.length)} folded` : undefined;
  return [kind === "others" ? undefined : kind, note, server, folded]
    .filter((part) => part !== undefined)
    .join(" · ");
}

function statsOf({ count, totalMs, usage, errors }: GraphNode): Stat[] {
  const { input, output, cached } = usage;
  return [
    { name: "Calls", value: formatWhole(count) },
    { name: "Time", value: <Figure ms={totalMs} /> },
    ...(input + output > 0
      ? [{ name: "Tokens in → out", value: `${formatWhole(input)} → ${formatWhole(output)}` }]
      : []),
    ...(cached > 0 ? [{ name: "Cached", value: `${Math.round((cached / input) * 100)} %` }] : []),
    ...(usage.costUsd > 0 ? [{ name: "Cost", value: <CostOf usage={usage} /> }] : []),
    { name: "Errors", value: formatWhole(errors) },
  ];
}
