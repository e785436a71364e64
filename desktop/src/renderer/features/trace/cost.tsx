import type { SpanCost } from "@obspan/collector-core/analysis";
import type { TraceSummary } from "@obspan/collector-core/api-schema";
import type { ReactNode } from "react";
import { formatCost } from "../../format.js";
import textStyles from "../../components/text.module.css";

const COMPUTED = "Computed by the collector from its price list, where the app sent no cost.";

/** The cost of a span or a run, marked if the collector computed it or a part of it. */
export function Cost({ cost: { usd, isComputed } }: { cost: SpanCost }) {
  return isComputed ? <Computed>{formatCost(usd)}</Computed> : formatCost(usd);
}

/** The cost of a trace, or of several. */
export function costOfSum({
  cost_usd: usd,
  cost_source: source,
}: Pick<TraceSummary, "cost_usd" | "cost_source">): SpanCost {
  return { usd, isComputed: source === "computed" };
}

/** The same as plain text. */
export function costText({ usd, isComputed }: SpanCost): string {
  return `${isComputed ? "≈ " : ""}${formatCost(usd)}`;
}

/** Marks an amount that the collector computed. */
export function Computed({ children }: { children: ReactNode }) {
  return (
    <span data-tip={COMPUTED}>
      <span className={textStyles.unit} aria-hidden>
        ≈{" "}
      </span>
      {children}
      <span className={textStyles.screenReader}>, computed from the price list</span>
    </span>
  );
}
