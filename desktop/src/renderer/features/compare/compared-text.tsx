import type { ComparedItem, TextPiece } from "@obspan/collector-core/analysis";
import { useState } from "react";
import { usePreferences } from "../../app-context.js";
import { SpanIcon } from "../../components/span-icon.js";
import { formatWhole } from "../../format.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./text-section.module.css";

type Side = "a" | "b";

interface ComparedTextProps {
  readonly item: ComparedItem;
  /** The only piece of its part: it needs no label. */
  readonly isAlone: boolean;
}

/** A piece of text in both runs: beside each other, or in one column. */
export function ComparedText({ item, isAlone }: ComparedTextProps) {
  const layout = usePreferences(({ diffLayout }) => diffLayout);
  const { kind, label, form } = item;
  const head = isAlone ? null : <Label label={label} form={form} />;
  const body = form === "data" ? classNames(styles.text, styles.data) : styles.text;
  if (layout === "unified")
    return (
      <div className={classNames(styles.cell, KIND_CLASS[kind])}>
        {head}
        <div className={body} dir="auto">
          <Pieces item={item} side={undefined} />
        </div>
      </div>
    );
  return (
    <div className={styles.columns}>
      {(["a", "b"] as const).map((side) =>
        item[side] === undefined ? (
          <div key={side} className={classNames(styles.cell, styles.void)}>
            not in {side.toUpperCase()}
          </div>
        ) : (
          <div key={side} className={classNames(styles.cell, KIND_CLASS[kind])}>
            {head}
            <div className={body} dir="auto">
              <Pieces item={item} side={side} />
            </div>
          </div>
        ),
      )}
    </div>
  );
}

const KIND_CLASS: Readonly<Record<ComparedItem["kind"], string | undefined>> = {
  same: undefined,
  changed: undefined,
  only_a: styles.removed,
  only_b: styles.added,
};

function Label({ label, form }: { label: string; form: ComparedItem["form"] }) {
  const isTool = form === "data" && label !== "tool";
  return (
    <div className={styles.label}>
      {isTool && <SpanIcon spanType="tool" />}
      <span className={isTool ? textStyles.mono : undefined}>{label}</span>
    </div>
  );
}

/** The pieces of a text that one run has, or those of both. */
function Pieces({ item, side }: { item: ComparedItem; side: Side | undefined }) {
  const isFolded = usePreferences(({ isOnlyChanges }) => isOnlyChanges);
  if (item.diff === undefined) {
    const text = (side === undefined ? (item.b ?? item.a) : item[side]) ?? "";
    return text === "" ? <span className={textStyles.faint}>empty</span> : <Cut text={text} />;
  }
  const missing: TextPiece["kind"] | undefined =
    side === undefined ? undefined : side === "a" ? "added" : "removed";
  const pieces = item.diff.pieces.filter(({ kind }) => kind !== missing);
  return pieces.map((piece, index) => {
    const { kind, text } = piece;
    if (kind === "removed")
      return (
        <del key={index}>
          <Cut text={text} />
        </del>
      );
    if (kind === "added")
      return (
        <ins key={index}>
          <Cut text={text} />
        </ins>
      );
    const place = index === 0 ? "first" : index === pieces.length - 1 ? "last" : "middle";
    return isFolded ? <Equal key={index} text={text} place={place} /> : <Cut key={index} text={text} />;
  });
}

/** Characters of a long text that are shown at first. */
const SHOWN = 4000;
/** Characters of an equal piece that stay beside a change. */
const CONTEXT = 160;

/** A text that is cut until the reader asks for the rest. */
function Cut({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || text.length <= SHOWN) return text;
  return (
    <>
      {text.slice(0, SHOWN)}…{" "}
      <button type="button" className={buttonStyles.more} onClick={() => setWhole(true)}>
        Show all {formatWhole(text.length)} characters
      </button>
    </>
  );
}

/** An equal piece, of which only what stands beside a change is shown. */
function Equal({ text, place }: { text: string; place: "first" | "middle" | "last" }) {
  const [isWhole, setWhole] = useState(false);
  const kept = (place === "first" ? 0 : CONTEXT) + (place === "last" ? 0 : CONTEXT);
  if (isWhole || text.length <= kept + CONTEXT) return <Cut text={text} />;
  const before = place === "first" ? "" : text.slice(0, CONTEXT);
  const after = place === "last" ? "" : text.slice(-CONTEXT);
  return (
    <>
      {before}
      <button
        type="button"
        className={styles.ellipsis}
        aria-label={`Show ${formatWhole(text.length - kept)} equal characters`}
        data-tip={`${formatWhole(text.length - kept)} equal characters`}
        onClick={() => setWhole(true)}
      >
        …
      </button>
      {after}
    </>
  );
}
