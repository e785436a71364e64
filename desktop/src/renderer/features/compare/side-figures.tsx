import type { StepPairAnswer } from "@obspan/collector-core/api-schema";
import type { ReactNode } from "react";
import { durationText, formatWhole } from "../../format.js";
import { Cost } from "../trace/cost.js";
import { classNames } from "../../components/class-names.js";
import headStyles from "./compare-head.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./prompts-view.module.css";

/** The figures of the selected step in both runs. */
export function SideFigures({ pair }: { pair: StepPairAnswer }) {
  return (
    <div className={styles.figures}>
      {(["a", "b"] as const).map((side) => (
        <div key={side}>
          <span className={side === "a" ? headStyles.tag : classNames(headStyles.tag, headStyles.b)}>
            {side.toUpperCase()}
          </span>
          {pair[side] === null ? (
            <span>not in {side.toUpperCase()}</span>
          ) : (
            <Figures pair={pair} side={side} />
          )}
        </div>
      ))}
    </div>
  );
}

function Figures({ pair, side }: { pair: StepPairAnswer; side: "a" | "b" }) {
  const [ms, input, cached, output, cost] = [
    pair.duration_ms[side],
    pair.tokens_input[side],
    pair.tokens_cached[side],
    pair.tokens_output[side],
    pair.cost_usd[side],
  ];
  return (
    <>
      {ms === null ? <span>running</span> : <Figure value={durationText(ms)} />}
      {input !== null && (
        <Figure
          value={formatWhole(input)}
          unit={cached === null || cached === 0 ? "in" : `in, ${formatWhole(cached)} cached`}
        />
      )}
      {output !== null && <Figure value={formatWhole(output)} unit="out" />}
      {cost !== null && (
        <Figure value={<Cost cost={{ usd: cost, isComputed: pair[side]?.cost_source === "computed" }} />} />
      )}
    </>
  );
}

function Figure({ value, unit = "" }: { value: ReactNode; unit?: string }) {
  return (
    <span className={styles.figure}>
      <span className={textStyles.number}>{value}</span> {unit}
    </span>
  );
}
