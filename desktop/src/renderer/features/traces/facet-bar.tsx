import type { QuerySubject } from "@obspan/collector-core/api-schema";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTraces } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import {
  FACET_KEYS,
  facetValues,
  isFacetKey,
  isUnfiltered,
  type FacetKey,
} from "../../store/traces-state.js";
import { hasSelection, selectionOf, withSelection, type SelectionKey } from "../../store/facet-selection.js";
import { Cost, costOfSum } from "../trace/cost.js";
import { FacetMenu } from "./facet-menu.js";
import { RANGE_FILTERS } from "./range-choices.js";
import { RangeMenu } from "./range-menu.js";
import { isHandledElsewhere } from "./use-list-keys.js";
import type { AddressFilters } from "./use-filters.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./facet-bar.module.css";

/** The menus with values, by what is filtered. */
const MENUS: Readonly<Record<QuerySubject, readonly SelectionKey[]>> = {
  traces: FACET_KEYS,
  sessions: ["service", "env", "tenant", "user", "agent", "model", "state", "feedback"],
};

interface FacetBarProps extends AddressFilters {
  /** What is filtered. Default: traces. */
  readonly subject?: QuerySubject;
  /** What the filters find, if that is not traces. */
  readonly totals?: ReactNode;
}

/** Filters with known values, each with a menu. */
export function FacetBar({ filters, setFilters, subject = "traces", totals = <Totals /> }: FacetBarProps) {
  const facets = useTraces((state) => state.facets);
  const [open, setOpen] = useState("");
  const shown = useSeenKeys(
    FACET_KEYS.filter((key) => facets !== undefined && facetValues(facets, key).length > 0),
  );
  const ranges = facets === undefined ? [] : RANGE_FILTERS[subject];
  // What is chosen elsewhere, such as in a link, has its menu too.
  const chosen = FACET_KEYS.filter((key) => !MENUS[subject].includes(key) && hasSelection(filters, key));
  const keys = [
    ...MENUS[subject].filter((key) =>
      isFacetKey(key) ? shown.includes(key) || hasSelection(filters, key) : facets !== undefined,
    ),
    ...chosen,
  ];
  const [first] = keys;

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key.toLowerCase() !== "f" || !isPlain || isHandledElsewhere(event.target)) return;
      if (first === undefined) return;
      event.preventDefault();
      setOpen(first);
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [first]);

  const menus: readonly string[] = [...keys, ...ranges.map(({ name }) => name)];
  const openBeside = (menu: string, step: 1 | -1): void => {
    setOpen(menus[(menus.indexOf(menu) + step + menus.length) % menus.length] ?? "");
  };
  const openerOf = (menu: string) => (isOpen: boolean) => setOpen(isOpen ? menu : "");
  return (
    <div className={styles.facets}>
      <div className={styles.facetMenus} role="group" aria-label="Filters">
        {keys.map((key) => (
          <FacetMenu
            key={key}
            facet={key}
            selection={selectionOf(filters, key)}
            isOpen={open === key}
            isUnitShown={subject !== "traces"}
            onOpen={openerOf(key)}
            onStep={(step) => openBeside(key, step)}
            onChoose={(selection) => setFilters(withSelection(filters, key, selection))}
          />
        ))}
        {ranges.map((range) => (
          <RangeMenu
            key={range.name}
            name={range.name}
            choices={range.choices}
            value={range.valueOf(filters)}
            isOpen={open === range.name}
            onOpen={openerOf(range.name)}
            onChoose={(value) => setFilters(range.with(filters, value))}
          />
        ))}
      </div>
      <span className={textStyles.grow} />
      {totals}
      {!isUnfiltered(filters) && (
        <button
          type="button"
          className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
          data-tip="Clear all filters  Esc"
          onClick={() => setFilters({})}
        >
          Clear
        </button>
      )}
    </div>
  );
}

function Totals() {
  const facets = useTraces((state) => state.facets);
  if (facets === undefined) return null;
  const failed = facets.status.find(({ value }) => value === "ERROR")?.count ?? 0;
  return (
    <span className={textStyles.keys}>
      {formatWhole(facets.total)} {facets.total === 1 ? "trace" : "traces"}
      {failed > 0 && ` · ${formatWhole(failed)} failed`}
      {facets.cost_usd > 0 && (
        <>
          {" · "}
          <Cost cost={costOfSum(facets)} />
        </>
      )}
    </span>
  );
}

/** Keys that have had values: a button does not disappear when the filters find nothing. */
function useSeenKeys(keys: readonly FacetKey[]): readonly FacetKey[] {
  const seen = useRef<readonly FacetKey[]>([]);
  if (keys.some((key) => !seen.current.includes(key))) {
    seen.current = FACET_KEYS.filter((key) => keys.includes(key) || seen.current.includes(key));
  }
  return seen.current;
}
