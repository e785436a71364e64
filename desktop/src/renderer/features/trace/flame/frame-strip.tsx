import type { FlameFrame, Measure } from "@obspan/collector-core/analysis";
import type { ModelPrices } from "@obspan/collector-core/api-schema";
import { typeClass } from "../../../components/span-icon.js";
import { classNames } from "../../../components/class-names.js";
import { costPartsOf, modelOf } from "./cost-parts-of.js";
import { ROW } from "./frame-element.js";
import styles from "./flame-frames.module.css";

interface FrameStripProps {
  readonly frame: FlameFrame;
  readonly measure: Measure;
  /** By model. */
  readonly prices: ReadonlyMap<string, ModelPrices | null>;
  readonly left: number;
  readonly width: number;
  readonly isFaint: boolean;
}

/** What a model call is made of: waiting and streaming, or input from the cache, new input and output. */
export function FrameStrip({ frame, measure, prices, left, width, isFaint }: FrameStripProps) {
  const parts = partsOf(frame, measure, prices);
  const sum = parts.reduce((total, { amount }) => total + amount, 0);
  if (sum <= 0) return null;
  let at = left;
  return parts.map(({ kind, amount }) => {
    const part = { left: at, width: ((width - 1) * amount) / sum, top: (frame.depth + 1) * ROW };
    at += part.width;
    if (part.width < 0.5) return null;
    return (
      <i
        key={kind}
        className={classNames(styles.strip, styles[kind], typeClass(frame.type), isFaint && styles.miss)}
        style={part}
      />
    );
  });
}

interface Part {
  readonly kind: "hatched" | "middle" | "full";
  readonly amount: number;
}

function partsOf(frame: FlameFrame, measure: Measure, prices: FrameStripProps["prices"]): readonly Part[] {
  const { type, children, waitMs, total, usage } = frame;
  if (type !== "llm" || children.length > 0) return [];
  if (measure === "time")
    return waitMs === 0
      ? []
      : [
          { kind: "hatched", amount: waitMs },
          { kind: "full", amount: Math.max(0, total.time - waitMs) },
        ];
  if (measure === "cost") {
    const known = prices.get(modelOf(frame) ?? "") ?? undefined;
    if (known === undefined) return [];
    const parts = costPartsOf(frame, known);
    const costOf = (wanted: (typeof parts)[number]["kind"]): number =>
      parts.reduce((sum, { kind, tokens, price }) => (kind === wanted ? sum + tokens * price : sum), 0);
    return [
      { kind: "hatched", amount: costOf("cached") },
      { kind: "middle", amount: costOf("input") },
      { kind: "full", amount: costOf("output") },
    ];
  }
  return [
    { kind: "hatched", amount: usage.cached },
    { kind: "middle", amount: usage.input - usage.cached },
    { kind: "full", amount: usage.output },
  ];
}
