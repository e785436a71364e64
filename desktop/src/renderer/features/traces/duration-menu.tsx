import { ChevronDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
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

interface DurationMenuProps extends AddressFilters {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Menu that filters by minimum duration. */
export function DurationMenu({ filters, setFilters, isOpen, onOpen }: DurationMenuProps) {
  const value = filters.min_duration_ms;
  const others = omit(filters, "min_duration_ms");
  return (
    <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={onOpen}>
      <DropdownMenu.Trigger
        className={value === undefined ? facetStyles.facet : classNames(facetStyles.facet, facetStyles.on)}
      >
        Duration
        {value !== undefined && <b>≥ {durationName(Number(value))}</b>}
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="start" sideOffset={4} loop>
        <DropdownMenu.RadioGroup value={value ?? ""}>
          {CHOICES_MS.map((ms) => (
            <DropdownMenu.RadioItem
              key={ms}
              className={menuStyles.menuItem}
              value={String(ms)}
              onSelect={() =>
                setFilters(value === String(ms) ? others : { ...others, min_duration_ms: String(ms) })
              }
            >
              <MenuMark isChosen={value === String(ms)} />
              {durationName(ms)} or longer
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
        {value !== undefined && (
          <>
            <DropdownMenu.Separator className={menuStyles.menuLine} />
            <DropdownMenu.Item className={menuStyles.menuItem} onSelect={() => setFilters(others)}>
              <MenuMark />
              Any duration
            </DropdownMenu.Item>
          </>
        )}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

/** `500 ms`, `5 s`, `1 m`. */
function durationName(ms: number): string {
  if (ms >= 1000 && ms % 60_000 === 0) return `${ms / 60_000} m`;
  if (ms >= 1000 && ms % 1000 === 0) return `${ms / 1000} s`;
  const { value, unit } = formatDuration(ms);
  return `${value} ${unit}`;
}
