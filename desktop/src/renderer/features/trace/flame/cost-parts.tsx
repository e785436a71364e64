import type { FlameFrame } from "@obspan/collector-core/analysis";
import { formatCost, formatWhole } from "../../../format.js";
import { ShareBar } from "../../../components/share-bar.js";
import { classNames } from "../../../components/class-names.js";
import { costPartsOf, modelOf } from "./cost-parts-of.js";
import { useModelPrices } from "./use-model-prices.js";
import frameStyles from "./frame-pane.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./frame-costs.module.css";

/** What the cost of a model's calls is made of, by the prices of the model. */
export function CostParts({ frame }: { frame: FlameFrame }) {
  const prices = useModelPrices().get(modelOf(frame) ?? "") ?? undefined;
  if (prices === undefined) return null;
  const parts = costPartsOf(frame, prices);
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
