import type { ListedPrice, PriceTable } from "@obspan/collector-core/api-schema";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./tables.module.css";

/** The prices by which the collector computes costs. */
export function PricesTable({ prices, search }: { prices: PriceTable; search: string }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isMatch = ({ model, provider }: ListedPrice): boolean =>
    words.every((word) => `${model} ${provider ?? ""}`.toLowerCase().includes(word));
  const found = prices.models.filter(isMatch);
  const shown = found.length === 0 ? prices.models : found;
  return (
    <div className={styles.block}>
      <p className={styles.about}>
        {prices.file === null ? (
          <>
            List prices of <b>{prices.as_of}</b>, in USD for a million tokens. Set{" "}
            <span className={textStyles.mono}>pricing.file</span> to use your own.
          </>
        ) : (
          <>
            Prices of <span className={textStyles.mono}>{prices.file}</span>, in USD for a million tokens.
          </>
        )}{" "}
        {!prices.enabled && "Prices are off: no cost is computed."}
      </p>
      <div className={styles.scroll} tabIndex={0} role="group" aria-label="Prices">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Provider</th>
              <th scope="col">Input</th>
              <th scope="col">Output</th>
              <th scope="col">Cache read</th>
              <th scope="col">Cache write</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((price) => (
              <tr key={`${price.provider ?? ""} ${price.model}`}>
                <th scope="row" className={textStyles.mono}>
                  {price.model}
                </th>
                <td className={textStyles.dim}>{price.provider}</td>
                <Usd value={price.input_per_1m} />
                <Usd value={price.output_per_1m} />
                <Usd value={price.cached_input_per_1m} />
                <Usd value={price.cache_write_per_1m} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Usd({ value }: { value: number | undefined }) {
  return (
    <td className={classNames(textStyles.number, value === undefined ? textStyles.faint : undefined)}>
      {value === undefined ? "·" : usdText(value)}
    </td>
  );
}

/** `$0.50`, `$0.075`: all digits that a price has, at least the cents. */
function usdText(value: number): string {
  const cents = value.toFixed(2);
  return `$${Number(cents) === value ? cents : value}`;
}
