import { inlineJson, type ComparedValue } from "@obspan/collector-core/analysis";
import { useState } from "react";
import { usePreferences } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./text-section.module.css";

interface ComparedValuesProps {
  /** Without one, the values have no head. */
  readonly name?: string;
  readonly values: readonly ComparedValue[];
  readonly id?: string;
}

/** Named values of both runs. */
export function ComparedValues({ name, values, id }: ComparedValuesProps) {
  const isOnlyChanges = usePreferences(({ isOnlyChanges: isOn }) => isOn);
  const [isOpen, setOpen] = useState(false);
  const shown = isOnlyChanges && !isOpen ? values.filter(({ isEqual }) => !isEqual) : values;
  const folded = values.length - shown.length;
  const rest = folded > 0 && (
    <>
      {formatWhole(folded)} equal
      <button type="button" className={buttonStyles.more} onClick={() => setOpen(true)}>
        Show
      </button>
    </>
  );
  return (
    <section id={id} className={styles.section} aria-label={name ?? "Attributes"}>
      {name !== undefined && (
        <header>
          <b className={styles.plainName}>{name}</b>
          <span className={classNames(textStyles.faint, styles.folded)}>{rest}</span>
        </header>
      )}
      {shown.map((value) => (
        <div key={value.name} className={styles.columns}>
          <Value value={value} side="a" />
          <Value value={value} side="b" />
        </div>
      ))}
      {name === undefined && folded > 0 && <div className={styles.foldLine}>{rest}</div>}
    </section>
  );
}

const MAX_LENGTH = 2000;

function Value({ value, side }: { value: ComparedValue; side: "a" | "b" }) {
  const held = value[side];
  const text = typeof held === "string" ? held : inlineJson(held);
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return (
    <div className={classNames(styles.cell, styles.value)}>
      <span className={classNames(textStyles.mono, textStyles.faint)}>{value.name}</span>
      {held === undefined ? (
        <span className={textStyles.faint}>not in {side.toUpperCase()}</span>
      ) : (
        <span className={classNames(textStyles.mono, textStyles.break)}>
          {value.isEqual ? shown : side === "a" ? <del>{shown}</del> : <ins>{shown}</ins>}
        </span>
      )}
    </div>
  );
}
