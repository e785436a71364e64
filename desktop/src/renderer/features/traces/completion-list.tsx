import { useEffect, useRef } from "react";
import { formatWhole } from "../../format.js";
import type { Completion, CompletionItem } from "./completion.js";
import { classNames } from "../../components/class-names.js";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./completion-list.module.css";

interface CompletionListProps {
  readonly id: string;
  readonly completion: Completion;
  /** Index of the item that Enter takes; -1 for none. */
  readonly active: number;
  readonly onTake: (item: CompletionItem) => void;
}

/** Element id of an item; the field refers to its active one by it. */
export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** The completions for the current input. */
export function CompletionList({ id, completion, active, onTake }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[data-highlighted]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      ref={list}
      id={id}
      className={classNames(menuStyles.menu, styles.completion)}
      role="listbox"
      aria-label={completion.key === undefined ? "Filters" : `Values of ${completion.key}`}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
    >
      {completion.items.map((item, index) => (
        <div
          key={item.label}
          id={optionId(id, index)}
          role="option"
          className={menuStyles.menuItem}
          aria-selected={index === active}
          data-highlighted={index === active ? "" : undefined}
          onClick={(event) => {
            event.stopPropagation();
            onTake(item);
          }}
        >
          <span className={classNames(textStyles.cut, textStyles.mono)}>{item.label}</span>
          {item.hint !== undefined && (
            <span className={classNames(textStyles.cut, menuStyles.hint)}>{item.hint}</span>
          )}
          {item.count !== undefined && <span className={textStyles.count}>{formatWhole(item.count)}</span>}
        </div>
      ))}
    </div>
  );
}
