import { ChevronDown, Clock } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { MenuMark } from "../../components/menu-mark.js";
import { omit } from "../../store/omit.js";
import { formatMoment } from "./histogram/time-labels.js";
import type { AddressFilters } from "./use-filters.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";

const MINUTE_MS = 60_000;
const SPANS_OF_TIME = [
  { name: "Last 5 minutes", ms: 5 * MINUTE_MS },
  { name: "Last 15 minutes", ms: 15 * MINUTE_MS },
  { name: "Last hour", ms: 60 * MINUTE_MS },
  { name: "Last 6 hours", ms: 360 * MINUTE_MS },
  { name: "Last 24 hours", ms: 1440 * MINUTE_MS },
];

/** Menu of time ranges; the histogram selects any other. */
export function TimeMenu({ filters, setFilters }: AddressFilters) {
  const { since, until } = filters;
  const isAny = since === undefined && until === undefined;
  const others = omit(omit(filters, "since"), "until");
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={isAny ? buttonStyles.button : classNames(buttonStyles.button, buttonStyles.on)}
        data-tip="When the traces started"
      >
        <Clock className={iconStyles.icon} aria-hidden />
        {isAny ? "Any time" : `${edgeText(since, "…")} – ${edgeText(until, "now")}`}
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="end" sideOffset={4} loop>
        <DropdownMenu.Item className={menuStyles.menuItem} onSelect={() => setFilters(others)}>
          <MenuMark isChosen={isAny} />
          Any time
        </DropdownMenu.Item>
        <DropdownMenu.Separator className={menuStyles.menuLine} />
        {SPANS_OF_TIME.map(({ name, ms }) => (
          <DropdownMenu.Item
            key={name}
            className={menuStyles.menuItem}
            onSelect={() => setFilters({ ...others, since: new Date(Date.now() - ms).toISOString() })}
          >
            <MenuMark />
            {name}
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

/** An invalid time is shown as it was written. */
function edgeText(time: string | undefined, open: string): string {
  if (time === undefined) return open;
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return time;
  return formatMoment(ms, ms % MINUTE_MS === 0 ? MINUTE_MS : 1, Date.now());
}
