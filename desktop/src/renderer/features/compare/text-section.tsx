import type { ComparedItem, TextSection } from "@obspan/collector-core/analysis";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { usePreferences } from "../../app-context.js";
import { formatCount, formatWhole } from "../../format.js";
import { ComparedText } from "./compared-text.js";
import { sectionName, sectionNote } from "./model/section-text.js";
import { countDelta } from "./model/delta-text.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./text-section.module.css";

interface TextSectionProps {
  readonly section: TextSection;
  readonly spanType: string;
  /** It has no head, because nothing stands beside it. */
  readonly isOnly?: boolean;
  readonly id?: string;
}

/** Equal pieces beside each other that are folded, or a piece that differs. */
type Line = ComparedItem | readonly ComparedItem[];

/** A part of a step in both runs. */
export function TextSectionView({ section, spanType, isOnly = false, id }: TextSectionProps) {
  const { name, items, tokens } = section;
  const isOnlyChanges = usePreferences(({ isOnlyChanges: isOn }) => isOn);
  const isEqual = items.every(({ kind }) => kind === "same");
  const [chosen, setOpen] = useState<boolean>();
  const isOpen = chosen ?? !(isEqual && isOnlyChanges && !isOnly);
  const title = sectionName(name, spanType);
  return (
    <section id={id} className={classNames(styles.section, isOnly && styles.only)} aria-label={title}>
      {!isOnly && (
        <header>
          <button
            type="button"
            className={styles.fold}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronDown className={classNames(iconStyles.tiny, !isOpen && iconStyles.turned)} aria-hidden />
            <b>{title}</b>
          </button>
          <span className={textStyles.faint}>{sectionNote(section)}</span>
          <span className={textStyles.grow} />
          {tokens !== undefined && tokens !== 0 && (
            <span className={classNames(textStyles.number, textStyles.dim, styles.tokens)}>
              {name !== "output" && "≈ "}
              {countDelta(tokens)} tokens
            </span>
          )}
        </header>
      )}
      {isOpen && <Lines items={items} isFolded={isOnlyChanges && !isEqual} />}
    </section>
  );
}

function Lines({ items, isFolded }: { items: readonly ComparedItem[]; isFolded: boolean }) {
  return linesOf(items, isFolded).map((line, index) =>
    isItem(line) ? (
      <ComparedText key={index} item={line} isAlone={items.length === 1} />
    ) : (
      <EqualItems key={index} items={line} />
    ),
  );
}

function isItem(line: Line): line is ComparedItem {
  return !Array.isArray(line);
}

/** Joins equal pieces that follow each other, if they are folded. */
function linesOf(items: readonly ComparedItem[], isFolded: boolean): Line[] {
  if (!isFolded) return [...items];
  const lines: Line[] = [];
  let equal: ComparedItem[] = [];
  for (const item of items) {
    if (item.kind === "same") {
      if (equal.length === 0) lines.push(equal);
      equal.push(item);
    } else {
      equal = [];
      lines.push(item);
    }
  }
  return lines;
}

function EqualItems({ items }: { items: readonly ComparedItem[] }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return items.map((item, index) => <ComparedText key={index} item={item} isAlone={false} />);
  const characters = items.reduce((sum, { b }) => sum + (b?.length ?? 0), 0);
  return (
    <div className={styles.foldLine}>
      {formatWhole(items.length)} equal, {formatCount(characters)} characters
      <button type="button" className={buttonStyles.more} onClick={() => setOpen(true)}>
        Show
      </button>
    </div>
  );
}
