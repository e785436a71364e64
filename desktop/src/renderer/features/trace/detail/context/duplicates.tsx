import { ArrowUpRight } from "lucide-react";
import type { CallContext, ContextDuplicate } from "@obspan/collector-core/api-schema";
import { callIdOf, type SpanNode } from "@obspan/collector-core/analysis";
import buttonStyles from "../../../../components/button.module.css";
import { classNames } from "../../../../components/class-names.js";
import iconStyles from "../../../../components/icon.module.css";
import { SpanIcon } from "../../../../components/span-icon.js";
import textStyles from "../../../../components/text.module.css";
import { formatCost, formatWhole } from "../../../../format.js";
import { useSelection } from "../../hooks/use-selection.js";
import { useTracePage } from "../../trace-page-context.js";
import styles from "./context.module.css";

/** Texts that the context contains several times. */
export function Duplicates({ context: { duplicates } }: { context: CallContext }) {
  const { run, tree } = useTracePage();
  if (duplicates.length === 0) return null;
  return (
    <section aria-label="More than once in this context">
      <header className={styles.head}>
        <h2>More than once in this context</h2>
        <span className={textStyles.count}>{duplicates.length}</span>
      </header>
      <ul className={styles.duplicates}>
        {duplicates.map((duplicate, index) => {
          const [callId] = duplicate.call_ids;
          const node =
            callId === undefined
              ? undefined
              : (run.uses.find(({ call }) => call?.id === callId)?.node ??
                tree.nodes.find(({ span }) => span.span_type === "tool" && callIdOf(span) === callId));
          return <Duplicate key={index} duplicate={duplicate} node={node} />;
        })}
      </ul>
    </section>
  );
}

const TIMES = ["", "once", "twice"];
const TYPES: ReadonlyMap<string, string> = new Map([
  ["results", "tool"],
  ["retrieved", "retrieval"],
  ["assistant", "llm"],
]);

function Duplicate({ duplicate, node }: { duplicate: ContextDuplicate; node: SpanNode | undefined }) {
  const { select } = useSelection();
  const { kind, name, times, messages, is_exact: isExact, tokens_each: each, cost_usd: cost } = duplicate;
  const places = messages.length > 1 ? `messages ${messages.join(", ")}` : `message ${messages.join("")}`;
  return (
    <li>
      <SpanIcon spanType={TYPES.get(kind) ?? "task"} />
      <b className={textStyles.cut}>{name}</b>
      <span className={classNames(textStyles.cut, textStyles.dim, textStyles.grow)}>
        ≈ {formatWhole(each)} tokens, <b>{TIMES[times] ?? `${times} times`}</b>
        {isExact ? "" : " (nearly equal)"}: {places}
      </span>
      <span className={classNames(textStyles.number, textStyles.dim)}>
        ≈ {formatWhole(duplicate.tokens_again)}
      </span>
      <span className={classNames(textStyles.number, textStyles.warn)}>
        {cost === null ? "–" : `≈ ${formatCost(cost)}`}
      </span>
      {node === undefined ? (
        <span className={styles.noLink} />
      ) : (
        <button
          type="button"
          className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
          aria-label={`Show the span of ${name}`}
          data-tip="Show its span"
          onClick={() => select(node)}
        >
          <ArrowUpRight className={iconStyles.small} aria-hidden />
        </button>
      )}
    </li>
  );
}
