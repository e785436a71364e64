import { ChevronDown } from "lucide-react";
import { Menubar } from "radix-ui";
import { useEffect, useRef, useState } from "react";
import { useStores, useTraces } from "../../app-context.js";
import { MenuMark } from "../../components/menu-mark.js";
import { StatusDot } from "../../components/status-dot.js";
import { formatCost, formatWhole } from "../../format.js";
import { FACET_KEYS, facetValues, isUnfiltered, type FacetKey } from "../../store/traces-state.js";
import { omit } from "../../store/omit.js";
import { DurationMenu } from "./duration-menu.js";
import { isHandledElsewhere } from "./use-list-keys.js";
import type { AddressFilters } from "./use-filters.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import facetStyles from "../../components/facet.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./facet-bar.module.css";

const NAMES: Readonly<Record<FacetKey, string>> = {
  service: "Service",
  env: "Env",
  agent: "Agent",
  model: "Model",
  status: "Status",
  span_type: "Span type",
  tenant: "Tenant",
  has_evaluation: "Evaluated",
};

/** Filters with known values, each with a menu. */
export function FacetBar({ filters, setFilters }: AddressFilters) {
  const { traces } = useStores();
  const facets = useTraces((state) => state.facets);
  const [open, setOpen] = useState("");
  const shown = useSeenKeys(
    FACET_KEYS.filter((key) => facets !== undefined && facetValues(facets, key).length > 0),
  );
  const keys = FACET_KEYS.filter((key) => shown.includes(key) || filters[key] !== undefined);
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

  useEffect(() => {
    const key = FACET_KEYS.find((each) => each === open);
    if (key !== undefined) void traces.getState().loadChoices(key);
  }, [open, traces]);

  return (
    <div className={styles.facets}>
      <Menubar.Root className={styles.facetMenus} aria-label="Filters" value={open} onValueChange={setOpen}>
        {keys.map((key) => (
          <FacetMenu
            key={key}
            facet={key}
            value={filters[key]}
            onChoose={(value) =>
              setFilters(value === undefined ? omit(filters, key) : { ...filters, [key]: value })
            }
          />
        ))}
        {facets !== undefined && <DurationMenu filters={filters} setFilters={setFilters} />}
      </Menubar.Root>
      <span className={textStyles.grow} />
      <Totals />
      {!isUnfiltered(filters) && (
        <button
          type="button"
          className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
          title="Clear all filters  Esc"
          onClick={() => setFilters({})}
        >
          Clear
        </button>
      )}
    </div>
  );
}

interface FacetMenuProps {
  readonly facet: FacetKey;
  readonly value: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

function FacetMenu({ facet, value, onChoose }: FacetMenuProps) {
  const choices = useTraces((state) => state.choices[facet]);
  const facets = useTraces((state) => state.facets);
  const values = choices ?? (facets === undefined ? [] : facetValues(facets, facet));
  return (
    <Menubar.Menu value={facet}>
      <Menubar.Trigger
        className={value === undefined ? facetStyles.facet : classNames(facetStyles.facet, facetStyles.on)}
      >
        {NAMES[facet]}
        {value !== undefined && <b className={textStyles.cut}>{valueName(facet, value)}</b>}
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </Menubar.Trigger>
      <Menubar.Content
        className={classNames(menuStyles.menu, facetStyles.facetMenu)}
        align="start"
        sideOffset={4}
        loop
      >
        <Menubar.RadioGroup value={value ?? ""}>
          {values.map((each) => (
            <Menubar.RadioItem
              key={each.value}
              className={menuStyles.menuItem}
              value={each.value}
              textValue={valueName(facet, each.value)}
              onSelect={() => onChoose(each.value === value ? undefined : each.value)}
            >
              <MenuMark isChosen={each.value === value} />
              {facet === "status" && <StatusDot status={each.value} />}
              <span className={classNames(textStyles.cut, textStyles.grow)}>
                {valueName(facet, each.value)}
              </span>
              <span className={textStyles.count}>
                {choices === undefined ? "…" : formatWhole(each.count)}
              </span>
            </Menubar.RadioItem>
          ))}
        </Menubar.RadioGroup>
        {value !== undefined && (
          <>
            <Menubar.Separator className={menuStyles.menuLine} />
            <Menubar.Item className={menuStyles.menuItem} onSelect={() => onChoose(undefined)}>
              <MenuMark />
              {facet === "has_evaluation" ? "Evaluated or not" : `Any ${NAMES[facet].toLowerCase()}`}
            </Menubar.Item>
          </>
        )}
      </Menubar.Content>
    </Menubar.Menu>
  );
}

/** Display text of a value. */
function valueName(facet: FacetKey, value: string): string {
  if (facet !== "has_evaluation") return value;
  return { true: "yes", false: "no" }[value] ?? value;
}

function Totals() {
  const facets = useTraces((state) => state.facets);
  if (facets === undefined) return null;
  const failed = facets.status.find(({ value }) => value === "ERROR")?.count ?? 0;
  return (
    <span className={textStyles.keys}>
      {formatWhole(facets.total)} {facets.total === 1 ? "trace" : "traces"}
      {failed > 0 && ` · ${formatWhole(failed)} with errors`}
      {facets.cost_usd > 0 && ` · ${formatCost(facets.cost_usd)}`}
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
