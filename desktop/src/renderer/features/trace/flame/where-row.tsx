import type { Measure, Repeat, SpanGroup, Weights } from "@obspan/collector-core/analysis";
import type { ReactNode } from "react";
import { ShareBar } from "../../../components/share-bar.js";
import { SpanIcon } from "../../../components/span-icon.js";
import { formatCount, formatWhole } from "../../../format.js";
import { classNames } from "../../../components/class-names.js";
import { Cost } from "../cost.js";
import { CacheMark } from "../cache-mark.js";
import { Figure } from "../figure.js";
import { RepeatMark } from "../repeat-mark.js";
import { shareText } from "./flame-words.js";
import textStyles from "../../../components/text.module.css";
import styles from "./where-table.module.css";

interface WhereRowProps {
  readonly group: SpanGroup;
  readonly whole: Weights;
  /** The largest amounts of all rows. */
  readonly most: Weights;
  readonly repeats: ReadonlyMap<string, Repeat>;
  readonly isSelected: boolean;
  readonly onChoose: (group: SpanGroup) => void;
}

/** A row of the table: what some spans have by themselves. */
export function WhereRow({ group, whole, most, repeats, isSelected, onChoose }: WhereRowProps) {
  const { label, type, nodes, own, usage, errors } = group;
  return (
    <div
      className={classNames(styles.row, styles.body, isSelected && styles.selected)}
      role="row"
      onClick={() => onChoose(group)}
    >
      <span role="cell" className={styles.who}>
        {label !== undefined && <SpanIcon spanType={type} />}
        <button
          type="button"
          className={textStyles.cut}
          aria-pressed={isSelected}
          data-tip={label ?? "none"}
          dir="auto"
        >
          {label ?? <span className={textStyles.faint}>none</span>}
        </button>
        <RepeatMark repeat={loopIn(nodes, repeats)} />
        <CacheMark ids={nodes.map(({ id }) => id)} />
      </span>
      <span role="cell" className={classNames(textStyles.number, textStyles.dim)}>
        {formatWhole(nodes.length)}
      </span>
      <span role="cell" className={textStyles.number}>
        <Figure ms={own.time} />
      </span>
      <Share measure="time" own={own} whole={whole} most={most} />
      <Amount text={own.tokens > 0 ? formatCount(own.tokens) : undefined} />
      <Share measure="tokens" own={own} whole={whole} most={most} />
      <Amount
        text={own.cost > 0 ? <Cost cost={{ usd: own.cost, isComputed: usage.isComputed }} /> : undefined}
      />
      <Share measure="cost" own={own} whole={whole} most={most} />
      <span
        role="cell"
        className={classNames(textStyles.number, errors > 0 ? textStyles.error : textStyles.faint)}
      >
        {errors > 0 ? formatWhole(errors) : "·"}
      </span>
    </div>
  );
}

/** From this many equal calls on, a row says so. */
const LOOP = 3;

/** The most equal calls among some spans. */
function loopIn(nodes: SpanGroup["nodes"], repeats: ReadonlyMap<string, Repeat>): Repeat | undefined {
  let most: Repeat | undefined;
  for (const { id } of nodes) {
    const repeat = repeats.get(id);
    if (repeat !== undefined && repeat.count >= LOOP && repeat.count > (most?.count ?? 0)) most = repeat;
  }
  return most;
}

function Amount({ text }: { text: ReactNode }) {
  return (
    <span role="cell" className={classNames(textStyles.number, text === undefined && textStyles.faint)}>
      {text ?? "·"}
    </span>
  );
}

interface ShareProps {
  readonly measure: Measure;
  readonly own: Weights;
  readonly whole: Weights;
  readonly most: Weights;
}

/** An amount as a bar against the largest row, and as a share of all. */
function Share({ measure, own, whole, most }: ShareProps) {
  const amount = own[measure];
  if (amount <= 0)
    return (
      <>
        <span />
        <span />
      </>
    );
  return (
    <>
      <ShareBar share={amount / most[measure]} tone={amount === most[measure] ? "most" : undefined} />
      <span role="cell" className={classNames(textStyles.number, styles.share)}>
        {shareText(own, whole, measure)}
      </span>
    </>
  );
}
