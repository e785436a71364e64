import type { Measure } from "@obspan/collector-core/analysis";
import { formatWhole } from "../../../format.js";
import { classNames } from "../../../components/class-names.js";
import spanTypeStyles from "../../../components/span-type.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./flame-legend.module.css";

interface FlameLegendProps {
  readonly measure: Measure;
  readonly spans: number;
  readonly frames: number;
  /** Whether model calls have a strip. */
  readonly hasStrips: boolean;
}

/** What the parts of a frame mean, and how many spans are in how many frames. */
export function FlameLegend({ measure, spans, frames, hasStrips }: FlameLegendProps) {
  return (
    <div className={styles.legend}>
      <span className={spanTypeStyles.agent}>
        <i className={styles.weak} />
        <Name>in children</Name>
      </span>
      <span className={spanTypeStyles.agent}>
        <i className={styles.own} />
        <Name>own</Name>
      </span>
      {(hasStrips ? STRIPS[measure] : []).map(([kind, name]) => (
        <span key={kind} className={spanTypeStyles.llm}>
          <i className={styles[kind]} />
          <Name>{name}</Name>
        </span>
      ))}
      <span className={textStyles.grow} />
      <span>
        {formatWhole(spans)} {spans === 1 ? "span" : "spans"} in {formatWhole(frames)}{" "}
        {frames === 1 ? "frame" : "frames"}
      </span>
    </div>
  );
}

function Name({ children }: { children: string }) {
  return <span className={classNames(textStyles.faint)}>{children}</span>;
}

type Strips = readonly (readonly [kind: "hatched" | "middle" | "full", name: string])[];

const TOKENS: Strips = [
  ["hatched", "read from the cache"],
  ["middle", "new input"],
  ["full", "output"],
];

const STRIPS: Readonly<Record<Measure, Strips>> = {
  time: [
    ["hatched", "waiting for the first token"],
    ["full", "streaming"],
  ],
  tokens: TOKENS,
  cost: TOKENS,
};
