import { mainCauses, type Cause } from "@obspan/collector-core/analysis";
import type { TraceComparison } from "@obspan/collector-core/api-schema";
import { Info } from "lucide-react";
import { Fragment, useMemo } from "react";
import { quantityOf } from "./model/delta-text.js";
import { stepOf } from "./model/step-words.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./causes-line.module.css";

/** The steps that explain most of the difference. */
export function CausesLine({ comparison }: { comparison: TraceComparison }) {
  const causes = useMemo(() => mainCauses(comparison), [comparison]);
  if (causes.length === 0) return null;
  return (
    <p className={styles.why}>
      <Info className={iconStyles.small} aria-hidden />
      <span>
        <b>Most of the difference:</b>{" "}
        {causes.map((cause, index) => (
          <Fragment key={`${cause.figure} ${stepOf(cause.pair).span_id}`}>
            <CauseText cause={cause} />
            {index < causes.length - 1 ? "; " : "."}
          </Fragment>
        ))}
      </span>
    </p>
  );
}

function CauseText({ cause: { figure, pair, delta } }: { cause: Cause }) {
  const { value, unit } = quantityOf(figure, Math.abs(delta), "head");
  const amount = `${value} ${unit}`.trim();
  return (
    <>
      <span className={textStyles.mono}>{stepOf(pair).name}</span>{" "}
      {reason(figure, pair, `${amount} ${delta > 0 ? "more" : "less"}`)}
    </>
  );
}

function reason(figure: Cause["figure"], { a, b }: Cause["pair"], amount: string): string {
  const where = a === null ? "is only in B" : b === null ? "is only in A" : undefined;
  if (where !== undefined) return `${where} (${amount})`;
  if (figure === "cost_usd") return `costs ${amount}`;
  const failure = b?.error ?? undefined;
  return failure === undefined || a?.error !== null
    ? `took ${amount}`
    : `took ${amount} and failed: ${failure}`;
}
