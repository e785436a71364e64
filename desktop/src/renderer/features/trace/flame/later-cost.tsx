import { laterReads, textOf, type SpanNode } from "@obspan/collector-core/analysis";
import { useMemo } from "react";
import { formatCost, formatCount, formatWhole } from "../../../format.js";
import { StatsLine } from "../groups/stats-line.js";
import { useTracePage } from "../trace-page-context.js";
import { useModelPrices } from "./use-model-prices.js";
import frameStyles from "./frame-pane.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./frame-costs.module.css";

interface LaterCostProps {
  /** The calls of a tool. */
  readonly nodes: readonly SpanNode[];
  /** Of the run. */
  readonly totalUsd: number;
  readonly onOpenContext: (node: SpanNode) => void;
}

/** What the results of a tool cost later: every model call that is sent them again reads them again. */
export function LaterCost({ nodes, totalUsd, onOpenContext }: LaterCostProps) {
  const { run } = useTracePage();
  const reads = useMemo(() => laterReads(run, nodes), [run, nodes]);
  const last = reads.at(-1)?.call.node;
  const prices = useModelPrices();
  if (last === undefined) return null;
  const kept = new Set(reads.map(({ tool }) => tool)).size;
  const callers = new Set(reads.map(({ call }) => call)).size;
  const tokens = sum(reads.map((read) => read.tokens));
  const costs = reads.map(({ tokens: each, isCached, call }) => {
    const priced = prices.get(textOf(call.node.span, "model") ?? "") ?? undefined;
    return priced && (each * (isCached ? priced.cached_input_per_1m : priced.input_per_1m)) / 1e6;
  });
  // A sum without those of a model whose price is not known would be too small.
  const known = costs.filter((each) => each !== undefined);
  const cost = known.length === costs.length ? sum(known) : undefined;
  return (
    <section className={frameStyles.arguments} aria-label="What its results cost later">
      <header>
        <h3>What its results cost later</h3>
        <span className={textStyles.faint}>as input of the model calls that follow</span>
        <span className={textStyles.grow} />
        <button type="button" className={textStyles.link} onClick={() => onOpenContext(last)}>
          Open Context
        </button>
      </header>
      <div className={styles.later}>
        <StatsLine
          stats={[
            {
              name: "Results kept",
              value: (
                <>
                  {formatWhole(kept)}
                  <span className={textStyles.unit}>
                    {" "}
                    × ≈ {formatWhole(Math.round(tokens / reads.length))} tokens
                  </span>
                </>
              ),
            },
            {
              name: "Read by",
              value: (
                <>
                  {formatWhole(callers)}
                  <span className={textStyles.unit}> later {callers === 1 ? "call" : "calls"}</span>
                </>
              ),
            },
            { name: "Tokens", value: `≈ ${formatCount(Math.round(tokens))}` },
            ...(cost === undefined
              ? []
              : [
                  {
                    name: "Cost",
                    value: (
                      <>
                        ≈ {formatCost(cost)}
                        {totalUsd > 0 && (
                          <span className={textStyles.unit}> · {Math.round((cost / totalUsd) * 100)} %</span>
                        )}
                      </>
                    ),
                  },
                ]),
          ]}
        />
      </div>
    </section>
  );
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
