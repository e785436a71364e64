import { costOf, numberOf, type SpanNode } from "@obspan/collector-core/analysis";
import type { ReactNode } from "react";
import { useContextOfCall } from "../../../app-context.js";
import { OpenButton } from "../../../components/open-button.js";
import { Paged } from "../../../components/paged.js";
import { SpanIcon } from "../../../components/span-icon.js";
import { StatusDot } from "../../../components/status-dot.js";
import { formatCount, formatWhole } from "../../../format.js";
import { classNames } from "../../../components/class-names.js";
import { Cost } from "../cost.js";
import { Figure } from "../figure.js";
import textStyles from "../../../components/text.module.css";
import styles from "./model-calls-table.module.css";

/** Calls that have something in common. */
export interface CallGroup {
  readonly name: string;
  readonly nodes: readonly SpanNode[];
}

interface ModelCallsTableProps {
  /** A group without a name has no row of its own. */
  readonly groups: readonly CallGroup[];
  readonly selected: SpanNode | undefined;
  readonly onChoose: (node: SpanNode) => void;
  readonly onOpen: (node: SpanNode) => void;
}

/** Model calls in order, with what they were sent, how much of it came from the cache, and what they cost. */
export function ModelCallsTable({ groups, selected, onChoose, onOpen }: ModelCallsTableProps) {
  const numbers = new Map(groups.flatMap(({ nodes }) => nodes).map((node, index) => [node, index + 1]));
  const rows = groups.flatMap((group): (CallGroup | SpanNode)[] =>
    group.name === "" ? [...group.nodes] : [group, ...group.nodes],
  );
  return (
    <div role="table" aria-label="Model calls" className={styles.table}>
      <div className={classNames(styles.row, styles.head)} role="row">
        <Header isHidden>Number</Header>
        <Header>Start</Header>
        <Header isLeft>Name</Header>
        <Header>Time</Header>
        <Header>Tokens in</Header>
        <Header>Cached</Header>
        <Header>Cost</Header>
        <Header isHidden>Open</Header>
      </div>
      <Paged
        items={rows}
        name="rows"
        renderItem={(row) =>
          "nodes" in row ? (
            <GroupRow group={row} />
          ) : (
            <CallRow
              node={row}
              number={numbers.get(row) ?? 0}
              isSelected={row === selected}
              onChoose={onChoose}
              onOpen={onOpen}
            />
          )
        }
      />
    </div>
  );
}

interface HeaderProps {
  readonly children: ReactNode;
  readonly isHidden?: boolean;
  readonly isLeft?: boolean;
}

function Header({ children, isHidden = false, isLeft = false }: HeaderProps) {
  return (
    <span role="columnheader" className={isLeft ? undefined : styles.right}>
      {isHidden ? <span className={textStyles.screenReader}>{children}</span> : children}
    </span>
  );
}

function GroupRow({ group: { name, nodes } }: { group: CallGroup }) {
  const costs = nodes.map(({ span }) => costOf(span));
  const usd = sum(costs.map((cost) => cost?.usd ?? 0));
  const isComputed = costs.some((cost) => cost?.isComputed === true);
  return (
    <div className={classNames(styles.row, styles.group)} role="row">
      <span role="rowheader" className={styles.who}>
        <SpanIcon spanType="agent" />
        <b className={textStyles.cut} data-tip={name} dir="auto">
          {name}
        </b>
        <span className={textStyles.faint}>
          {formatWhole(nodes.length)} {nodes.length === 1 ? "call" : "calls"}
        </span>
      </span>
      <span role="cell" className={textStyles.number}>
        <Figure ms={sum(nodes.map(({ startMs, endMs }) => (endMs ?? startMs) - startMs))} />
      </span>
      <Amounts nodes={nodes} />
      <span role="cell" className={textStyles.number}>
        {usd > 0 ? <Cost cost={{ usd, isComputed }} /> : "·"}
      </span>
      <span />
    </div>
  );
}

interface CallRowProps extends Pick<ModelCallsTableProps, "onChoose" | "onOpen"> {
  readonly node: SpanNode;
  readonly number: number;
  readonly isSelected: boolean;
}

function CallRow({ node, number, isSelected, onChoose, onOpen }: CallRowProps) {
  const { span, startMs, endMs } = node;
  const cost = costOf(span);
  return (
    <div
      className={classNames(styles.row, styles.call, isSelected && styles.selected)}
      role="row"
      aria-label={`Call ${number}`}
      onClick={() => onChoose(node)}
      onDoubleClick={() => onOpen(node)}
    >
      <span role="cell" className={classNames(textStyles.number, textStyles.faint)}>
        {number}
      </span>
      <span role="cell" className={classNames(textStyles.number, textStyles.dim)}>
        +<Figure ms={startMs} />
      </span>
      <span role="cell" className={textStyles.cut} data-tip={span.name} dir="auto">
        {span.name}
      </span>
      <span role="cell" className={textStyles.number}>
        {endMs === undefined ? (
          <StatusDot status="RUNNING" name="Running" />
        ) : (
          <Figure ms={endMs - startMs} />
        )}
      </span>
      <Amounts nodes={[node]} isWhole />
      <span role="cell" className={textStyles.number}>
        {cost === undefined ? "·" : <Cost cost={cost} />}
      </span>
      <span role="cell">
        <OpenButton label={`Open call ${number}`} onOpen={() => onOpen(node)} />
      </span>
    </div>
  );
}

/** Input tokens, and the share that came from the cache. */
function Amounts({ nodes, isWhole = false }: { nodes: readonly SpanNode[]; isWhole?: boolean }) {
  const hasBroken = useContextOfCall(({ broken }) => nodes.some(({ id }) => broken.has(id)));
  const input = sum(nodes.map(({ span }) => numberOf(span, "tokens_input") ?? 0));
  const cached = nodes.map(({ span }) => numberOf(span, "tokens_cached"));
  const isKnown = input > 0 && cached.some((amount) => amount !== undefined);
  const share = Math.round((sum(cached.map((amount) => amount ?? 0)) / input) * 100);
  return (
    <>
      <span role="cell" className={textStyles.number}>
        {input === 0 ? "·" : isWhole ? formatWhole(input) : formatCount(input)}
      </span>
      <span
        role="cell"
        className={classNames(textStyles.number, isWhole && hasBroken ? textStyles.warn : textStyles.dim)}
        data-tip={isWhole && hasBroken ? "The prompt cache broke before this call" : undefined}
      >
        {isKnown ? (
          <>
            {share}
            <span className={textStyles.unit}> %</span>
          </>
        ) : (
          "·"
        )}
      </span>
    </>
  );
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
