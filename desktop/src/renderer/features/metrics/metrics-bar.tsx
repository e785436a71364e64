import { ChevronDown, ExternalLink, Plus, X } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useStats, useStores } from "../../app-context.js";
import { MenuMark } from "../../components/menu-mark.js";
import { Segmented } from "../../components/segmented.js";
import { omit } from "../../store/omit.js";
import {
  GROUPS,
  STATS_FILTERS,
  WINDOWS,
  type StatsFilter,
  type StatsGroupBy,
  type StatsView,
  type StatsWindow,
} from "../../store/stats-store.js";
import type { PanelGroup } from "./panel-data.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import facetStyles from "../../components/facet.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./metrics-bar.module.css";
import { seriesColour } from "../../components/chart/chart-data.js";

const WINDOW_NAMES: Readonly<Record<StatsWindow, string>> = {
  "5m": "5 m",
  "15m": "15 m",
  "1h": "1 h",
  "6h": "6 h",
  "24h": "24 h",
};
const GROUP_NAMES: Readonly<Record<StatsGroupBy, string>> = {
  model: "Model",
  agent: "Agent",
  service: "Service",
  provider: "Provider",
  tool_name: "Tool",
};
const FILTER_NAMES: Readonly<Record<StatsFilter, string>> = {
  service: "Service",
  env: "Env",
  agent: "Agent",
  model: "Model",
  provider: "Provider",
  tenant: "Tenant",
};

/** Groups whose names fit beside the menus. */
const SHORT_LEGEND = 4;

interface MetricsBarProps {
  readonly view: StatsView;
  readonly onChange: (view: StatsView) => void;
  readonly groups: readonly PanelGroup[];
}

/** Time range, grouping, filters and the legend. */
export function MetricsBar({ view, onChange, groups }: MetricsBarProps) {
  const chosen = STATS_FILTERS.filter((filter) => view.filters[filter] !== undefined);
  return (
    <div className={classNames(pageStyles.bar, styles.metricsBar)}>
      <Segmented
        label="Time range"
        choices={WINDOWS.map((window) => ({ value: window, content: WINDOW_NAMES[window] }))}
        chosen={view.window}
        onChoose={(window) => onChange({ ...view, window })}
      />
      <GroupMenu view={view} onChange={onChange} />
      {chosen.map((filter) => (
        <button
          key={filter}
          type="button"
          className={classNames(facetStyles.facet, facetStyles.on)}
          aria-label={`Remove the filter ${FILTER_NAMES[filter]} ${view.filters[filter] ?? ""}`}
          onClick={() => onChange({ ...view, filters: omit(view.filters, filter) })}
        >
          {FILTER_NAMES[filter]}
          <b className={textStyles.cut}>{view.filters[filter]}</b>
          <X className={iconStyles.tiny} aria-hidden />
        </button>
      ))}
      <FilterMenu view={view} onChange={onChange} />
      <span className={textStyles.grow} />
      <div
        className={groups.length > SHORT_LEGEND ? classNames(styles.legend, styles.long) : styles.legend}
        data-testid="legend"
      >
        {groups.map(({ name, colour }) => (
          <span key={name} className={textStyles.mono}>
            <i style={{ background: seriesColour(colour) }} />
            <span className={textStyles.cut}>{name}</span>
          </span>
        ))}
      </div>
      <a
        className={classNames(buttonStyles.button, buttonStyles.ghost)}
        href="/metrics"
        target="_blank"
        rel="noreferrer"
        data-tip="Metrics for Prometheus"
        aria-label="/metrics"
      >
        <ExternalLink className={iconStyles.icon} aria-hidden />
        <span className={classNames(textStyles.mono, styles.path)}>/metrics</span>
      </a>
    </div>
  );
}

type MenuProps = Pick<MetricsBarProps, "view" | "onChange">;

function GroupMenu({ view, onChange }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={buttonStyles.button}>
        <span className={textStyles.dim}>Group by</span>
        {GROUP_NAMES[view.groupBy]}
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="start" sideOffset={4} loop>
        <DropdownMenu.RadioGroup value={view.groupBy}>
          {GROUPS.map((groupBy) => (
            <DropdownMenu.RadioItem
              key={groupBy}
              className={menuStyles.menuItem}
              value={groupBy}
              onSelect={() => onChange({ ...view, groupBy })}
            >
              <MenuMark isChosen={groupBy === view.groupBy} />
              {GROUP_NAMES[groupBy]}
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

function FilterMenu({ view, onChange }: MenuProps) {
  const { stats } = useStores();
  const isMultiTenant = useStats(({ config }) => config?.["multi_tenant.enabled"]?.value === true);
  const filters = STATS_FILTERS.filter((filter) => filter !== "tenant" || isMultiTenant);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={facetStyles.facet}>
        <Plus className={iconStyles.tiny} aria-hidden />
        Filter
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="start" sideOffset={4} loop>
        {filters.map((filter) => (
          <DropdownMenu.Sub
            key={filter}
            onOpenChange={(isOpen) => isOpen && void stats.getState().loadChoices(filter)}
          >
            <DropdownMenu.SubTrigger className={menuStyles.menuItem}>
              <span className={textStyles.grow}>{FILTER_NAMES[filter]}</span>
              <ChevronDown className={classNames(iconStyles.tiny, iconStyles.turned)} aria-hidden />
            </DropdownMenu.SubTrigger>
            <DropdownMenu.SubContent
              className={classNames(menuStyles.menu, facetStyles.facetMenu)}
              sideOffset={2}
              loop
            >
              <FilterValues
                filter={filter}
                onChoose={(value) => onChange({ ...view, filters: { ...view.filters, [filter]: value } })}
              />
            </DropdownMenu.SubContent>
          </DropdownMenu.Sub>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

function FilterValues({ filter, onChoose }: { filter: StatsFilter; onChoose: (value: string) => void }) {
  const values = useStats(({ choices }) => choices[filter]);
  if (values === undefined) return <p className={classNames(menuStyles.menuFoot, textStyles.keys)}>…</p>;
  if (values.length === 0)
    return <p className={classNames(menuStyles.menuFoot, textStyles.keys)}>None in the last day</p>;
  return values.map((value) => (
    <DropdownMenu.Item key={value} className={menuStyles.menuItem} onSelect={() => onChoose(value)}>
      <span className={classNames(textStyles.cut, textStyles.grow)}>{value}</span>
    </DropdownMenu.Item>
  ));
}
