import {
  agentName,
  textOf,
  type FlameFrame,
  type Measure,
  type SpanNode,
} from "@obspan/collector-core/analysis";
import { ChevronRight, ListTree, X, ZoomIn } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { SpanIcon } from "../../../components/span-icon.js";
import { formatWhole } from "../../../format.js";
import { classNames } from "../../../components/class-names.js";
import { StatsLine, type Stat } from "../groups/stats-line.js";
import { focusSpans } from "../hooks/use-selection.js";
import { Cost } from "../cost.js";
import { Figure } from "../figure.js";
import { CacheMark } from "../cache-mark.js";
import { IconButton } from "../icon-button.js";
import { useTracePage } from "../trace-page-context.js";
import { CallsList } from "./calls-list.js";
import { CacheNote } from "./cache-note.js";
import { Elsewhere } from "./elsewhere.js";
import { CostParts } from "./cost-parts.js";
import { LaterCost } from "./later-cost.js";
import { ModelCallsTable } from "../groups/model-calls-table.js";
import { FrameArguments } from "./frame-arguments.js";
import { shareText } from "./flame-words.js";
import { framesTo, useFlame } from "./use-flame.js";
import badgeStyles from "../../../components/badge.module.css";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./frame-pane.module.css";

/** Frames of the path that are shown; of a deeper one the nearest. */
const SHOWN = 4;

/** The selected frame: its figures and its spans. */
export default function FramePane() {
  const { view, selected: node, isNarrow } = useTracePage();
  const { flame, measure, selected: frame } = useFlame();
  if (frame === undefined) return null;
  const { name, type, nodes, errors, slowest, total } = frame;
  const above = framesTo(frame.parent);
  const openSpan = ({ id }: SpanNode): void => {
    view.getState().select(id);
    view.getState().setSpanOpen(true);
  };
  const openContext = (span: SpanNode): void => {
    view.getState().setTab("context");
    openSpan(span);
  };
  const close = (): void => {
    view.getState().closeOverlay();
    focusSpans();
  };
  return (
    <div className={styles.pane} tabIndex={0} role="region" aria-label="Selected frame">
      <div className={styles.head}>
        <SpanIcon spanType={type} />
        <h2 className={textStyles.cut} data-tip={name} dir="auto">
          {name}
        </h2>
        {nodes.length > 1 && (
          <span className={classNames(badgeStyles.chip, textStyles.mono)}>×{formatWhole(nodes.length)}</span>
        )}
        <span className={classNames(textStyles.faint, textStyles.cut)}>{noteOf(frame)}</span>
        <span className={textStyles.grow} />
        <CacheMark ids={nodes.map(({ id }) => id)} />
        {errors > 0 && (
          <span className={badgeStyles.error}>
            {formatWhole(errors)} {errors === 1 ? "error" : "errors"}
          </span>
        )}
        <IconButton
          icon={ZoomIn}
          name="Zoom to this frame"
          keys="↵"
          onClick={() => view.getState().setFlame({ zoomedTo: frame.key })}
        />
        {isNarrow && <IconButton icon={X} name="Close" keys="Esc" onClick={close} />}
      </div>
      {above.length > 0 && (
        <div className={styles.path}>
          <span>in</span>
          {above.length > SHOWN && <span>… {above.length - SHOWN} more</span>}
          {above.slice(-SHOWN).map((each, index) => (
            <Fragment key={each.key}>
              {(index > 0 || above.length > SHOWN) && (
                <ChevronRight className={iconStyles.tiny} aria-hidden />
              )}
              <b className={textStyles.cut}>
                {each.name}
                {each.nodes.length > 1 && ` ×${each.nodes.length}`}
              </b>
            </Fragment>
          ))}
        </div>
      )}
      <StatsLine
        stats={statsOf(
          frame,
          { measure, share: shareText(total, flame.total, measure) },
          <button type="button" className={textStyles.link} onClick={() => openSpan(slowest)}>
            <Figure ms={frame.slowestMs} />
          </button>,
        )}
      />
      <section className={styles.calls} aria-label="Spans of this frame">
        <header>
          <h3>
            {formatWhole(nodes.length)} {nodes.length === 1 ? "span" : "spans"}
          </h3>
          <span className={textStyles.grow} />
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
            onClick={() => view.getState().setView("timeline")}
          >
            <ListTree className={iconStyles.icon} aria-hidden />
            Show in the timeline
          </button>
        </header>
        <CallsList
          key={`${frame.key} ${measure}`}
          nodes={nodes}
          slowest={nodes.length > 1 ? slowest : undefined}
          selected={node}
          wallMs={flame.wallMs}
          onChoose={({ id }) => view.getState().select(id)}
          onOpen={openSpan}
        />
      </section>
      {type === "tool" && (
        <>
          <FrameArguments node={node !== undefined && nodes.includes(node) ? node : slowest} />
          <LaterCost nodes={nodes} totalUsd={flame.total.cost} onOpenContext={openContext} />
        </>
      )}
      {type === "llm" && (
        <ModelCosts frame={frame} selected={node} onOpen={openSpan} onOpenContext={openContext} />
      )}
      <Elsewhere frame={frame} />
    </div>
  );
}

interface ModelCostsProps {
  readonly frame: FlameFrame;
  readonly selected: SpanNode | undefined;
  readonly onOpen: (node: SpanNode) => void;
  readonly onOpenContext: (node: SpanNode) => void;
}

/** Of calls of one model: what their cost is made of, and the other calls of the model in the same agent. */
function ModelCosts({ frame, selected, onOpen, onOpenContext }: ModelCostsProps) {
  const { view, run } = useTracePage();
  const { flame } = useFlame();
  const { nodes, children } = frame;
  const [first] = nodes;
  const model = first && textOf(first.span, "model");
  const isOne = nodes.every(({ span }) => textOf(span, "model") === model);
  if (first === undefined || model === undefined || !isOne || children.length > 0) return null;
  const agent = nameOfAgent(first.agent);
  const shown = selected !== undefined && nodes.includes(selected) ? selected : first;
  const others = run.calls
    .filter((call) => nameOfAgent(call.agent) === agent && textOf(call.node.span, "model") === model)
    .map((call) => call.node);
  return (
    <>
      <CostParts frame={frame} />
      <CacheNote node={shown} totalUsd={flame.total.cost} onOpenContext={onOpenContext} />
      {others.length > nodes.length && (
        <section className={styles.calls} aria-label="The same model in this agent">
          <header>
            <h3>The same model in this agent</h3>
            <span className={textStyles.faint}>{formatWhole(others.length)} calls, in order</span>
          </header>
          <ModelCallsTable
            groups={[{ name: "", nodes: others }]}
            selected={selected}
            onChoose={({ id }) => view.getState().select(id)}
            onOpen={onOpen}
          />
        </section>
      )}
    </>
  );
}

function nameOfAgent(agent: SpanNode | undefined): string | undefined {
  return agent && agentName(agent);
}

function noteOf({ type, nodes: [first] }: FlameFrame): string {
  const model = first && textOf(first.span, "model");
  return model === undefined ? type : `${type} · ${model}`;
}

interface MeasuredShare {
  readonly measure: Measure;
  /** The part of the run that the frame has. */
  readonly share: string;
}

/** What is measured comes first, with its share. */
function statsOf(frame: FlameFrame, { measure, share }: MeasuredShare, slowest: Stat["value"]): Stat[] {
  const { nodes, total, own, usage, children } = frame;
  const { input, output, cached } = usage;
  const withShare = (of: Measure, value: ReactNode): ReactNode =>
    of !== measure || share === "" ? (
      value
    ) : (
      <>
        {value}
        <span className={textStyles.unit}> · {share}</span>
      </>
    );
  const time: Stat[] = [
    { name: "Total", value: withShare("time", <Figure ms={total.time} />) },
    { name: "Own", value: <Figure ms={own.time} /> },
    ...(nodes.length > 1
      ? [
          { name: "Mean", value: <Figure ms={total.time / nodes.length} /> },
          { name: "Slowest", value: slowest },
        ]
      : []),
  ];
  const isSplit = children.length === 0 && input + output > 0;
  const tokens: Stat[] = [
    ...(total.tokens === 0
      ? []
      : isSplit
        ? [
            {
              name: "Tokens in → out",
              value: withShare("tokens", `${formatWhole(input)} → ${formatWhole(output)}`),
            },
          ]
        : [{ name: "Tokens", value: withShare("tokens", formatWhole(total.tokens)) }]),
    ...(cached > 0 ? [{ name: "Cached", value: `${Math.round((cached / input) * 100)} %` }] : []),
  ];
  const cost: Stat[] =
    total.cost > 0
      ? [
          {
            name: "Cost",
            value: withShare("cost", <Cost cost={{ usd: total.cost, isComputed: frame.isComputed }} />),
          },
        ]
      : [];
  const figures = { time: [time, tokens, cost], tokens: [tokens, cost, time], cost: [cost, tokens, time] };
  return [{ name: "Count", value: formatWhole(nodes.length) }, ...figures[measure].flat()];
}
