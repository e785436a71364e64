import type { TraceComparison } from "@obspan/collector-core/api-schema";
import { KeyHint } from "../../components/key-hint.js";
import { formatWhole } from "../../format.js";
import type { CompareView } from "./compare-address.js";
import { differs } from "./model/step-words.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";

interface CompareFootProps {
  readonly comparison: TraceComparison;
  readonly view: CompareView;
}

/** Keyboard hints, and how many steps belong together. */
export function CompareFoot({ comparison: { steps }, view }: CompareFootProps) {
  const onlyA = steps.filter(({ b }) => b === null).length;
  const onlyB = steps.filter(({ a }) => a === null).length;
  const matched = steps.length - onlyA - onlyB;
  const different = steps.filter(differs).length;
  const parts = [
    `${formatWhole(matched)} ${matched === 1 ? "step" : "steps"} matched by content, name and place`,
    ...(onlyA > 0 ? [`${formatWhole(onlyA)} only in A`] : []),
    ...(onlyB > 0 ? [`${formatWhole(onlyB)} only in B`] : []),
  ];
  return (
    <footer className={pageStyles.foot}>
      <span className={pageStyles.footKeys} aria-hidden>
        <KeyHint keys={view === "spans" ? ["↑", "↓"] : ["←", "→"]}>step</KeyHint>
        <KeyHint keys={["N"]}>next difference</KeyHint>
        <KeyHint keys={["S"]}>swap A and B</KeyHint>
        <KeyHint keys={["U"]}>unified</KeyHint>
        <KeyHint keys={["Esc"]}>back</KeyHint>
      </span>
      <span className={textStyles.grow} />
      <span className={textStyles.cut} role="status">
        {different === 0 ? "No step differs · " : ""}
        {parts.join(" · ")}
      </span>
    </footer>
  );
}
