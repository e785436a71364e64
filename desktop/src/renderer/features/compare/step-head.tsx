import type { StepPairAnswer } from "@obspan/collector-core/api-schema";
import { ChevronDown, ChevronUp, FoldVertical } from "lucide-react";
import type { ReactNode } from "react";
import { usePreferences, useStores } from "../../app-context.js";
import { Segmented } from "../../components/segmented.js";
import { SpanIcon } from "../../components/span-icon.js";
import { IconButton } from "../trace/icon-button.js";
import { ToggleButton } from "../trace/toggle-button.js";
import { stepOf } from "./model/step-words.js";
import type { SelectedStep } from "./use-selected-step.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./step-diff.module.css";

/** How the texts of both runs stand: beside each other, or in one column. */
export const DIFF_LAYOUTS = [
  { value: "split", content: "Side by side", title: "Both texts beside each other  U" },
  { value: "unified", content: "Unified", title: "Both texts in one column  U" },
] as const;

interface StepHeadProps {
  readonly pair: StepPairAnswer;
  readonly selection: SelectedStep;
  /** After the name: `model call 2 of 5`. */
  readonly note?: string | undefined;
  /** The tabs. */
  readonly children: ReactNode;
}

/** The selected step, and how its texts are shown. */
export function StepHead({ pair, selection, note, children }: StepHeadProps) {
  const { preferences } = useStores();
  const layout = usePreferences(({ diffLayout }) => diffLayout);
  const isOnlyChanges = usePreferences(({ isOnlyChanges: isOn }) => isOn);
  const step = stepOf(pair);
  return (
    <header className={styles.head}>
      <SpanIcon spanType={step.span_type} />
      <h2 className={textStyles.cut} data-tip={step.name} dir="auto">
        {step.name}
      </h2>
      <Models pair={pair} />
      {note !== undefined && <span className={classNames(textStyles.faint, styles.note)}>{note}</span>}
      {children}
      <span className={textStyles.grow} />
      <ToggleButton
        isOn={isOnlyChanges}
        tip="Fold what is equal  O"
        onClick={() => preferences.setState({ isOnlyChanges: !isOnlyChanges })}
      >
        <FoldVertical className={iconStyles.icon} aria-hidden />
        <span className={styles.onlyName}>Only changes</span>
      </ToggleButton>
      <IconButton icon={ChevronUp} name="Previous difference" keys="⇧N" onClick={() => selection.next(-1)} />
      <IconButton icon={ChevronDown} name="Next difference" keys="N" onClick={() => selection.next(1)} />
      <Segmented
        label="Layout"
        choices={DIFF_LAYOUTS}
        chosen={layout}
        onChoose={(diffLayout) => preferences.setState({ diffLayout })}
        isSmall
      />
    </header>
  );
}

function Models({ pair: { a, b } }: { pair: StepPairAnswer }) {
  const [before, after] = [a?.model ?? undefined, b?.model ?? undefined];
  if (before === undefined && after === undefined) return null;
  const text =
    before === after || before === undefined || after === undefined ? (after ?? before) : undefined;
  return (
    <span
      className={classNames(badgeStyles.chip, textStyles.mono, textStyles.cut, styles.model)}
      data-tip="Model"
    >
      {text ?? (
        <>
          {before} <span className={textStyles.faint}>→</span> {after}
        </>
      )}
    </span>
  );
}
