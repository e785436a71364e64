import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useRef, type KeyboardEvent } from "react";
import iconStyles from "./icon.module.css";
import styles from "./search-box.module.css";
import textStyles from "./text.module.css";

interface SearchBoxProps {
  readonly text: string;
  readonly placeholder: string;
  /** What a screen reader says. */
  readonly label: string;
  /** How many were found, or which of them is selected. */
  readonly state: string;
  readonly onText: (text: string) => void;
  /** Goes to the match before or after. */
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

/** A field that searches inside a page, and steps through what it finds. */
export function SearchBox({ text, placeholder, label, state, onText, onStep, onClose }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowDown") onStep(1);
    else if (event.key === "ArrowUp") onStep(-1);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  return (
    <div className={styles.box} role="search">
      <Search className={iconStyles.small} aria-hidden />
      <input
        ref={input}
        value={text}
        placeholder={placeholder}
        aria-label={label}
        spellCheck={false}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {text.trim() !== "" && (
        <span className={textStyles.count} role="status">
          {state}
        </span>
      )}
      <button
        type="button"
        aria-label="Previous match"
        data-tip="Previous match  ⇧↵"
        onClick={() => onStep(-1)}
      >
        <ChevronUp className={iconStyles.tiny} aria-hidden />
      </button>
      <button type="button" aria-label="Next match" data-tip="Next match  ↵" onClick={() => onStep(1)}>
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </button>
      <button type="button" aria-label="Close the search" data-tip="Close  Esc" onClick={onClose}>
        <X className={iconStyles.tiny} aria-hidden />
      </button>
    </div>
  );
}
