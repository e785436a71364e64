import { Check, Minus, Search } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { useTraces } from "../../app-context.js";
import { KeyHint } from "../../components/key-hint.js";
import { MenuMark } from "../../components/menu-mark.js";
import { StatusDot } from "../../components/status-dot.js";
import { formatWhole } from "../../format.js";
import {
  NO_SELECTION,
  toggled,
  type FacetSelection,
  type SelectionKey,
} from "../../store/facet-selection.js";
import { facetName, valueName } from "./facet-names.js";
import { useFacetSearch } from "./use-facet-search.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./facet-menu.module.css";

interface FacetChooserProps {
  readonly facet: SelectionKey;
  readonly selection: FacetSelection;
  readonly isUnitShown: boolean;
  /** The selection changes, and the menu stays open. */
  readonly onChange: (selection: FacetSelection) => void;
  /** The selection is made. */
  readonly onChoose: (selection: FacetSelection) => void;
  readonly onStep: (step: 1 | -1) => void;
}

/** The keys that are held while a value is chosen. */
type Modifiers = Pick<KeyboardEvent, "shiftKey" | "altKey">;

/** Up to so many values are shown without a search field. */
const FEW_VALUES = 8;

/** The values of a filter, with a search over all that the collector has. */
export function FacetChooser({
  facet,
  selection,
  isUnitShown,
  onChange,
  onChoose,
  onStep,
}: FacetChooserProps) {
  const [text, setText] = useState("");
  const { values, total, isCounted } = useFacetSearch(facet, text);
  const [active, setActive] = useState(-1);
  const hasSearch = useRef(false);
  hasSearch.current ||= total > FEW_VALUES;
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const failed = useTraces((state) => (isCounted ? undefined : state.error?.message));

  useEffect(() => {
    list.current?.querySelector("[data-highlighted]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  // The list has the focus until there is a field.
  useEffect(() => {
    if (!hasSearch.current) list.current?.focus();
  }, []);

  const { include, exclude } = selection;
  const isOnly = (value: string): boolean =>
    include.length === 1 && include[0] === value && exclude.length === 0;

  function choose(value: string | undefined, { shiftKey, altKey }: Modifiers): void {
    if (value === undefined) return;
    if (shiftKey) onChange(toggled(selection, value, "include"));
    else if (altKey) onChange(toggled(selection, value, "exclude"));
    else onChoose(isOnly(value) ? NO_SELECTION : { include: [value], exclude: [] });
  }

  function onKeyDown(event: KeyboardEvent): void {
    const last = values.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: active >= last ? 0 : active + 1,
      ArrowUp: active <= 0 ? last : active - 1,
      PageDown: Math.min(last, active + 10),
      PageUp: Math.max(0, active - 10),
    };
    const target = targets[event.key];
    if (target !== undefined) setActive(target);
    else if (event.key === "Enter")
      choose(values[active]?.value ?? (text === "" ? undefined : values[0]?.value), event);
    else if (event.key === " " && !hasSearch.current)
      choose(values[active]?.value, { shiftKey: true, altKey: false });
    else if (text === "" && event.key === "ArrowRight") onStep(1);
    else if (text === "" && event.key === "ArrowLeft") onStep(-1);
    else return;
    event.preventDefault();
  }

  const activeId = values[active] === undefined ? undefined : `${id}-${active}`;
  return (
    <>
      {hasSearch.current && (
        <div className={styles.search}>
          <Search className={iconStyles.small} aria-hidden />
          <input
            className={textStyles.grow}
            type="text"
            role="combobox"
            aria-label={`Search ${facetName(facet).toLowerCase()}`}
            aria-expanded
            aria-controls={id}
            aria-autocomplete="list"
            aria-activedescendant={activeId}
            autoComplete="off"
            spellCheck={false}
            placeholder="Search"
            autoFocus
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setActive(-1);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
      )}
      <div
        ref={list}
        id={id}
        className={styles.values}
        role="listbox"
        aria-label={facetName(facet)}
        aria-multiselectable
        aria-activedescendant={hasSearch.current ? undefined : activeId}
        tabIndex={hasSearch.current ? -1 : 0}
        onKeyDown={hasSearch.current ? undefined : onKeyDown}
      >
        {values.map((each, index) => (
          <div
            key={each.value}
            id={`${id}-${index}`}
            role="option"
            className={classNames(menuStyles.menuItem, styles.value)}
            aria-selected={include.includes(each.value)}
            data-highlighted={index === active ? "" : undefined}
            onClick={(event) => choose(each.value, event)}
          >
            <span
              className={styles.box}
              data-tip="Add or remove  Shift ↵"
              onClick={(event) => {
                event.stopPropagation();
                choose(each.value, { shiftKey: true, altKey: false });
              }}
            >
              {include.includes(each.value) && <Check className={iconStyles.tiny} aria-hidden />}
              {exclude.includes(each.value) && <Minus className={iconStyles.tiny} aria-hidden />}
            </span>
            {facet === "status" && <StatusDot status={each.value} />}
            <span
              className={classNames(
                textStyles.cut,
                textStyles.grow,
                exclude.includes(each.value) && styles.excluded,
              )}
              dir="auto"
              data-tip={each.value}
            >
              {valueName(facet, each.value)}
            </span>
            {exclude.includes(each.value) && <span className={textStyles.screenReader}>left out</span>}
            <span
              className={styles.not}
              data-tip="Leave out  Alt ↵"
              aria-hidden
              onClick={(event) => {
                event.stopPropagation();
                choose(each.value, { shiftKey: false, altKey: true });
              }}
            >
              not
            </span>
            {each.count !== undefined && (
              <span className={textStyles.count}>
                {isCounted ? formatWhole(each.count) : "…"}
                {isUnitShown && (
                  <span className={textStyles.unit}> {each.count === 1 ? "trace" : "traces"}</span>
                )}
              </span>
            )}
          </div>
        ))}
      </div>
      {values.length === 0 && (
        <p className={classNames(textStyles.note, styles.foot)} role="status">
          {failed ?? (isCounted ? "No value contains this text." : "Looking up values…")}
        </p>
      )}
      {total > values.length && (
        <p className={classNames(textStyles.note, styles.foot)} role="status">
          {formatWhole(values.length)} of {formatWhole(total)} shown
        </p>
      )}
      {values.length > 1 && (
        <p className={classNames(styles.foot, styles.hints)} aria-hidden>
          <KeyHint keys={["↵"]}>only</KeyHint>
          <KeyHint keys={["Shift ↵"]}>add</KeyHint>
          <KeyHint keys={["Alt ↵"]}>leave out</KeyHint>
        </p>
      )}
      {include.length + exclude.length > 0 && (
        <button
          type="button"
          className={classNames(menuStyles.menuItem, styles.any)}
          onClick={() => onChoose(NO_SELECTION)}
        >
          <MenuMark />
          {facet === "has_evaluation" ? "Evaluated or not" : `Any ${facetName(facet).toLowerCase()}`}
        </button>
      )}
    </>
  );
}
