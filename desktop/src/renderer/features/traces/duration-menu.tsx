import { ChevronDown } from "lucide-react";
import { Menubar } from "radix-ui";
import { MenuMark } from "../../components/menu-mark.js";
import { formatDuration } from "../../format.js";
import { omit } from "../../store/omit.js";
import type { AddressFilters } from "./use-filters.js";
import { classNames } from "../../components/class-names.js";
import facetStyles from "../../components/facet.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";

/** Minimum durations to choose from; the query accepts any other. */
const CHOICES_MS = [500, 1000, 2000, 5000, 10_000, 30_000, 60_000];

/** Menu that filters by minimum duration. */
export function DurationMenu({ filters, setFilters }: AddressFilters) {
  const value = filters.min_duration_ms;
  const others = omit(filters, "min_duration_ms");
  return (
    <Menubar.Menu value="duration">
      <Menubar.Trigger
        className={value === undefined ? facetStyles.facet : classNames(facetStyles.facet, facetStyles.on)}
      >
        Duration
        {value !== undefined && <b>≥ {durationName(Number(value))}</b>}
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </Menubar.Trigger>
      <Menubar.Content className={menuStyles.menu} align="start" sideOffset={4} loop>
        <Menubar.RadioGroup value={value ?? ""}>
          {CHOICES_MS.map((ms) => (
            <Menubar.RadioItem
              key={ms}
              className={menuStyles.menuItem}
              value={String(ms)}
              onSelect={() =>
                setFilters(value === String(ms) ? others : { ...others, min_duration_ms: String(ms) })
              }
            >
              <MenuMark isChosen={value === String(ms)} />
              {durationName(ms)} or longer
            </Menubar.RadioItem>
          ))}
        </Menubar.RadioGroup>
        {value !== undefined && (
          <>
            <Menubar.Separator className={menuStyles.menuLine} />
            <Menubar.Item className={menuStyles.menuItem} onSelect={() => setFilters(others)}>
              <MenuMark />
              Any duration
            </Menubar.Item>
          </>
        )}
      </Menubar.Content>
    </Menubar.Menu>
  );
}

/** `500 ms`, `5 s`, `1 m`. */
function durationName(ms: number): string {
  if (ms >= 1000 && ms % 60_000 === 0) return `${ms / 60_000} m`;
  if (ms >= 1000 && ms % 1000 === 0) return `${ms / 1000} s`;
  const { value, unit } = formatDuration(ms);
  return `${value} ${unit}`;
}
