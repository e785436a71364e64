import { numberOf, type FlameFrame, type SpanNode } from "@obspan/collector-core/analysis";
import type { ModelPrices } from "@obspan/collector-core/api-schema";
import { formatCost, formatWhole } from "../../../format.js";
import { ShareBar } from "../../../components/share-bar.js";
import { classNames } from "../../../components/class-names.js";
import { useCallContext } from "./use-call-context.js";
import frameStyles from "./frame-pane.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./frame-costs.module.css";

/** What the cost of a model's calls is made of, by the prices of the model. */
export function CostParts({ frame, node }: { frame: FlameFrame; node: SpanNode }) {
  const prices = useCallContext(node)?.prices;
  if (prices === null || prices === undefined) return null;
  const parts = partsOf(frame, prices);
  const costs = parts.map(({ tokens, price }) => (tokens * price) / 1e6);
  const sum = costs.reduce((total, cost) => total + cost, 0);
  const most = Math.max(...costs);
  if (most <= 0) return null;
  return (
    <section className={frameStyles.arguments} aria-label="What the cost is made of">
      <header>
        <h3>What the cost is made of</h3>
        {/* The app may have sent the cost of a contract. */}
        {!frame.isComputed && Math.abs(sum - frame.own.cost) > 0.01 * sum && (
          <span className={textStyles.faint}>by the price list: ≈ {formatCost(sum)}</span>
        )}
      </header>
      <div role="table" aria-label="What the cost is made of" className={styles.parts}>
        {parts.map(({ name, tokens, price }, index) => {
          const cost = costs[index] ?? 0;
          const faint = tokens === 0 ? textStyles.faint : undefined;
          return (
            <div role="row" key={name}>
              <span role="rowheader" className={textStyles.dim}>
                {name}
              </span>
              <span role="cell" className={classNames(textStyles.number, faint)}>
                {formatWhole(tokens)}
              </span>
              <span role="cell" className={classNames(textStyles.number, textStyles.faint)}>
                × ${price.toFixed(2)} / M
              </span>
              <span role="cell" className={classNames(textStyles.number, faint)}>
                {cost === 0 ? "$0" : `≈ ${formatCost(cost)}`}
              </span>
              <ShareBar share={cost / most} tone={cost === most ? "most" : undefined} />
            </div>
          );
        })}
      </div>
    </section>
  );
}

interface CostPart {
  readonly name: string;
  readonly tokens: number;
  readonly price: number;
}

/** In the order of a request. Writing to the cache and reasoning are shown where a call reports them. */
function partsOf({ nodes, usage: { input, cached, output } }: FlameFrame, prices: ModelPrices): CostPart[] {
  const sumOf = (key: string): number =>
    nodes.reduce((sum, { span }) => sum + Math.max(0, numberOf(span, key) ?? 0), 0);
  const written = Math.min(sumOf("tokens_cache_write"), input - cached);
  const reasoning = Math.min(sumOf("tokens_reasoning"), output);
  const hasOwnPrice = reasoning > 0 && prices.reasoning_per_1m !== prices.output_per_1m;
  return [
    { name: "New input", tokens: input - cached - written, price: prices.input_per_1m },
    ...(written > 0 ? [{ name: "Into the cache", tokens: written, price: prices.cache_write_per_1m }] : []),
    { name: "From the cache", tokens: cached, price: prices.cached_input_per_1m },
    { name: "Output", tokens: hasOwnPrice ? output - reasoning : output, price: prices.output_per_1m },
    ...(hasOwnPrice ? [{ name: "Reasoning", tokens: reasoning, price: prices.reasoning_per_1m }] : []),
  ];
}
