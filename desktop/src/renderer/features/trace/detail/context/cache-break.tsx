import { Unplug } from "lucide-react";
import type { CallContext, ContextDiffLine } from "@obspan/collector-core/api-schema";
import { classNames } from "../../../../components/class-names.js";
import iconStyles from "../../../../components/icon.module.css";
import textStyles from "../../../../components/text.module.css";
import { durationText, formatCost, formatWhole } from "../../../../format.js";
import { isCostly } from "../../../../store/context-store.js";
import { CAUSES } from "./context-words.js";
import styles from "./context.module.css";

/** Why the prompt cache was not read, and what that cost. */
export function CacheBreakView({ context }: { context: CallContext }) {
  const broken = context.cache_break;
  if (broken === null) return <NoBreak context={context} />;
  const warn = isCostly(broken) ? textStyles.warn : textStyles.dim;
  const cause = CAUSES[broken.cause][1];
  const gap = broken.cause === "expired" ? ` after ${durationText(broken.gap_ms)}` : "";
  return (
    <section aria-label="Prompt cache">
      <header className={styles.head}>
        <Unplug className={classNames(iconStyles.small, warn)} aria-hidden />
        <h2>The cache broke at ≈ token {formatWhole(broken.at_token)}</h2>
        <span className={textStyles.grow} />
        <span className={classNames(styles.cause, warn)}>
          {cause}
          {gap}
        </span>
      </header>
      {broken.lines.length > 0 && (
        <div className={styles.diff}>
          {broken.lines.map((line, index) => (
            <DiffLine key={index} line={line} />
          ))}
        </div>
      )}
      <p className={styles.equation}>
        Billed again <b>≈ {formatWhole(broken.tokens_again)}</b>
        {broken.cost_usd === null || broken.price_per_1m_usd === null ? (
          " tokens; the model has no price"
        ) : (
          <>
            {" × "}
            <b>${broken.price_per_1m_usd.toFixed(2)}</b> / M ={" "}
            <b className={warn}>≈ {formatCost(broken.cost_usd)}</b>
          </>
        )}
        {broken.ttft_delta_ms !== null && (
          <>
            <i className={styles.separator} />
            First token{" "}
            <b className={broken.ttft_delta_ms > 100 ? warn : undefined}>
              {broken.ttft_delta_ms < 0 ? "−" : "+"}
              {durationText(Math.abs(broken.ttft_delta_ms))}
            </b>
          </>
        )}
      </p>
    </section>
  );
}

function NoBreak({ context }: { context: CallContext }) {
  const text =
    context.tokens_cached === null
      ? "The call reports no cached tokens."
      : context.compared_with === null
        ? "First call of its conversation: nothing to compare."
        : "The cache was read as far as it could be.";
  return (
    <section aria-label="Prompt cache">
      <p className={styles.note}>{text}</p>
    </section>
  );
}

const SIGNS = { same: " ", removed: "−", added: "+" } as const;

function DiffLine({ line: { type, number, text, changed } }: { line: ContextDiffLine }) {
  const [from = 0, to = 0] = changed;
  const Mark = type === "removed" ? "del" : "ins";
  return (
    <div className={styles[type]}>
      <span className={styles.lineNumber}>{number ?? SIGNS[type]}</span>
      <span className={textStyles.screenReader}>{type === "same" ? "" : `${type}: `}</span>
      {text.slice(0, from)}
      {to > from && <Mark>{text.slice(from, to)}</Mark>}
      {text.slice(to)}
    </div>
  );
}
