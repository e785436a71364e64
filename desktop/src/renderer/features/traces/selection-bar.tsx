import { Trash2, X } from "lucide-react";
import { useEffect, useState, type KeyboardEvent, type ReactNode } from "react";
import { formatWhole } from "../../format.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./bulk-bar.module.css";

interface SelectionBarProps {
  readonly name: string;
  readonly selected: ReadonlySet<string>;
  /** What is deleted, after its number: `traces`. */
  readonly what: string;
  readonly deletion: { readonly isRunning: boolean; readonly failure: string | undefined };
  /** What happened to the selected rows. */
  readonly notice?: string | undefined;
  readonly onDelete: () => void;
  readonly onClear: () => void;
  /** Buttons beside those to delete and to clear. */
  readonly children: ReactNode;
}

/** Actions for the selected rows of a list. Deleting asks first. */
export function SelectionBar({
  name,
  selected,
  what,
  deletion,
  notice,
  onDelete,
  onClear,
  children,
}: SelectionBarProps) {
  const { isRunning, failure } = deletion;
  const [isAsking, setAsking] = useState(false);
  // A changed selection cancels the question.
  useEffect(() => setAsking(false), [selected]);
  if (selected.size === 0) return null;

  function keepOnEscape(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    // Keeps Escape from the list, where it clears the selection.
    event.preventDefault();
    setAsking(false);
  }
  const count = formatWhole(selected.size);
  return (
    <div className={styles.bulk} role="region" aria-label={name}>
      {isAsking || isRunning ? (
        <>
          <span role="alert">
            Delete <b className={textStyles.number}>{count}</b> {what}? This cannot be undone.
          </span>
          <span className={styles.sep} />
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.danger)}
            autoFocus
            disabled={isRunning}
            onClick={onDelete}
            onKeyDown={keepOnEscape}
          >
            <Trash2 className={iconStyles.icon} aria-hidden />
            {isRunning ? "Deleting…" : "Delete"}
          </button>
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost)}
            disabled={isRunning}
            onClick={() => setAsking(false)}
            onKeyDown={keepOnEscape}
          >
            Keep
          </button>
        </>
      ) : (
        <>
          <span>
            <b className={textStyles.number}>{count}</b> selected
          </span>
          {failure !== undefined && <span className={textStyles.error}>{failure}</span>}
          {notice !== undefined && (
            <span className={textStyles.note} role="status">
              {notice}
            </span>
          )}
          <span className={styles.sep} />
          {children}
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.danger)}
            onClick={() => setAsking(true)}
          >
            <Trash2 className={iconStyles.icon} aria-hidden />
            Delete
          </button>
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.square)}
            data-tip="Clear the selection  Esc"
            onClick={onClear}
          >
            <X className={iconStyles.icon} aria-label="Clear the selection" />
          </button>
        </>
      )}
    </div>
  );
}
