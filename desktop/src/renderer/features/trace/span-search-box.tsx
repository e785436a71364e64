import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useRef, type KeyboardEvent } from "react";
import { focusSpans, useSelection } from "./hooks/use-selection.js";
import { useTracePage, useTraceView } from "./trace-page-context.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./span-search-box.module.css";

/** Searches names and attributes, and steps through the matches. */
export function SpanSearch() {
  const { view, found, selected } = useTracePage();
  const { selectAmong } = useSelection();
  const text = useTraceView((state) => state.search);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const step = (by: 1 | -1): void => selectAmong(found, by);
  const close = (): void => {
    view.getState().closeSearch();
    focusSpans();
  };
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const at = selected === undefined ? -1 : found.indexOf(selected);
  return (
    <div className={styles.spanSearch} role="search">
      <Search className={iconStyles.small} aria-hidden />
      <input
        ref={input}
        value={text}
        placeholder="Search names, attributes, texts"
        aria-label="Search inside this trace"
        spellCheck={false}
        onChange={(event) => view.getState().setSearch(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {text.trim() !== "" && (
        <span className={textStyles.count} role="status">
          {found.length === 0 ? "none" : `${at < 0 ? "–" : at + 1} of ${found.length}`}
        </span>
      )}
      <button
        type="button"
        aria-label="Previous match"
        data-tip="Previous match  ⇧↵"
        onClick={() => step(-1)}
      >
        <ChevronUp className={iconStyles.tiny} aria-hidden />
      </button>
      <button type="button" aria-label="Next match" data-tip="Next match  ↵" onClick={() => step(1)}>
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </button>
      <button type="button" aria-label="Close the search" data-tip="Close  Esc" onClick={close}>
        <X className={iconStyles.tiny} aria-hidden />
      </button>
    </div>
  );
}
