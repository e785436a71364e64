import { Unplug } from "lucide-react";
import { useEffect, useRef } from "react";
import type { CallContext, ContextCall } from "@obspan/collector-core/api-schema";
import { classNames } from "../../../../components/class-names.js";
import iconStyles from "../../../../components/icon.module.css";
import textStyles from "../../../../components/text.module.css";
import { formatCount, formatWhole } from "../../../../format.js";
import { Cost } from "../../cost.js";
import { useSelection } from "../../hooks/use-selection.js";
import { useTracePage } from "../../trace-page-context.js";
import { CAUSES } from "./context-words.js";
import styles from "./context.module.css";

/** Height of the longest column. */
const COLUMN_PX = 80;

/** The calls of the agent in this run: how the context grows, and what was read from the cache. */
export function AgentCalls({ context }: { context: CallContext }) {
  const { calls, calls_total: total, agent } = context;
  const { tree } = useTracePage();
  const { select } = useSelection();
  const most = calls.reduce((max, { tokens }) => Math.max(max, tokens), 1);
  const selected = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Not returned: some browsers answer with a promise.
    selected.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [context]);

  // ⌥← and ⌥→ go to the call before and the one after.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!event.altKey || event.ctrlKey || event.metaKey || step === undefined) return;
      const index = calls.findIndex(({ span_id: id }) => id === context.span_id) + step;
      const next = calls[index];
      event.preventDefault();
      if (next !== undefined) select(tree.byId.get(next.span_id));
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [calls, context.span_id, select, tree]);

  return (
    <section aria-label="Calls of this agent">
      <header className={styles.head}>
        <h2>
          {total} {total === 1 ? "call" : "calls"}
          {agent === null ? "" : ` of ${agent}`}
        </h2>
        <span className={textStyles.faint}>
          in this run{calls.length < total ? `, ${calls.length} shown` : ""}
        </span>
        <span className={textStyles.grow} />
        <span className={styles.key}>
          <i className={styles.hit} />
          read from the cache
        </span>
        <span className={styles.key}>
          <i className={styles.again} />
          billed again
        </span>
        <span className={styles.key}>
          <i className={styles.fresh} />
          new
        </span>
      </header>
      <div className={styles.growth}>
        {axisOf(most).map((tokens) => (
          <span
            key={tokens}
            className={styles.axis}
            style={{ marginBottom: (tokens / most) * COLUMN_PX }}
            aria-hidden
          >
            {formatCount(tokens)}
          </span>
        ))}
        <div className={styles.strip} role="group" aria-label="Calls, oldest first">
          {calls.map((call) => {
            const isSelected = call.span_id === context.span_id;
            return (
              <button
                key={call.span_id}
                ref={isSelected ? selected : undefined}
                type="button"
                className={styles.call}
                aria-pressed={isSelected}
                aria-label={callLabel(call)}
                data-tip={callLabel(call)}
                onClick={() => select(tree.byId.get(call.span_id))}
              >
                <span className={classNames(styles.why, call.cause !== null && styles.broke)}>
                  {call.cause !== null && <Unplug className={iconStyles.small} aria-hidden />}
                  {call.cause === null ? call.call === 1 && "first call" : CAUSES[call.cause][0]}
                </span>
                <Column call={call} most={most} />
                <span className={classNames(styles.name, textStyles.cut)}>{call.name}</span>
                <span className={styles.cost}>
                  <CallCost call={call} />
                </span>
              </button>
            );
          })}
        </div>
      </div>
    </section>
  );
}

function Column({ call, most }: { call: ContextCall; most: number }) {
  const { hit, again, fresh } = split(call);
  const height = (tokens: number): { height: string } => ({ height: `${(tokens / most) * COLUMN_PX}px` });
  return (
    <span className={styles.column}>
      <span className={textStyles.number}>
        {call.tokens_reported ? "" : "≈ "}
        {formatCount(call.tokens)}
      </span>
      {fresh > 0 && <i className={styles.fresh} style={height(fresh)} />}
      {again > 0 && <i className={styles.again} style={height(again)} />}
      {hit > 0 && <i className={styles.hit} style={height(hit)} />}
    </span>
  );
}

/** Zero, and one or two round numbers below the most. */
function axisOf(most: number): readonly number[] {
  const unit = 10 ** Math.floor(Math.log10(most));
  const step = [unit * 5, unit * 2, unit, unit / 2].find((each) => most / each >= 2) ?? unit;
  return [0, step, 2 * step];
}

function split({ tokens, tokens_cached: cached, tokens_again: repeated }: ContextCall) {
  const hit = Math.min(tokens, cached ?? 0);
  const again = Math.min(tokens - hit, repeated ?? 0);
  return { hit, again, fresh: tokens - hit - again };
}

function callLabel(call: ContextCall): string {
  const { hit, again, fresh } = split(call);
  const parts = [
    `${call.call}. ${call.name}: ${formatWhole(call.tokens)} tokens`,
    hit > 0 && `${formatWhole(hit)} from the cache`,
    again > 0 &&
      `≈ ${formatWhole(again)} billed again${call.cause === null ? "" : ` (${CAUSES[call.cause][1]})`}`,
    hit + again > 0 && `${formatWhole(fresh)} new`,
  ];
  return parts.filter(Boolean).join(", ");
}

function CallCost({ call: { cost_usd: usd, cost_source: source } }: { call: ContextCall }) {
  return usd === null ? "–" : <Cost cost={{ usd, isComputed: source === "computed" }} />;
}
