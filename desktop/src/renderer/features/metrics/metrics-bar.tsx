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

interface MetricsBarProps {
  readonly view: StatsView;
  readonly onChange: (view: StatsView) => void;
  readonly groups: readonly PanelGroup[];
}

/** Time range, grouping and filters, and what the colours mean. */
export function MetricsBar({ view, onChange, groups }: MetricsBarProps) {
  const chosen = STATS_FILTERS.filter((filter) => view.filters[filter] !== undefined);
  return (
    <div className="bar metrics-bar">
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
          className="facet on"
          aria-label={`Remove the filter ${FILTER_NAMES[filter]} ${view.filters[filter] ?? ""}`}
          onClick={() => onChange({ ...view, filters: omit(view.filters, filter) })}
        >
          {FILTER_NAMES[filter]}
          <b className="cut">{view.filters[filter]}</b>
          <X className="icon xs" aria-hidden />
        </button>
      ))}
      <FilterMenu view={view} onChange={onChange} />
      <span className="grow" />
      <div className="legend">
        {groups.map(({ name, colour }) => (
          <span key={name} className={`mono series-${colour + 1}`}>
            <i />
            <span className="cut">{name}</span>
          </span>
        ))}
      </div>
      <a
        className="btn ghost"
        href="/metrics"
        target="_blank"
        rel="noreferrer"
        title="What a Prometheus scrapes"
      >
        <ExternalLink className="icon" aria-hidden />
        <span className="mono">/metrics</span>
      </a>
    </div>
  );
}

type MenuProps = Pick<MetricsBarProps, "view" | "onChange">;

function GroupMenu({ view, onChange }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="btn">
        <span className="dim">Group by</span>
        {GROUP_NAMES[view.groupBy]}
        <ChevronDown className="icon xs" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className="menu" align="start" sideOffset={4} loop>
        <DropdownMenu.RadioGroup value={view.groupBy}>
          {GROUPS.map((groupBy) => (
            <DropdownMenu.RadioItem
              key={groupBy}
              className="menu-item"
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
      <DropdownMenu.Trigger className="facet">
        <Plus className="icon xs" aria-hidden />
        Filter
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className="menu" align="start" sideOffset={4} loop>
        {filters.map((filter) => (
          <DropdownMenu.Sub
            key={filter}
            onOpenChange={(isOpen) => isOpen && void stats.getState().loadChoices(filter)}
          >
            <DropdownMenu.SubTrigger className="menu-item">
              <span className="grow">{FILTER_NAMES[filter]}</span>
              <ChevronDown className="icon xs turned" aria-hidden />
            </DropdownMenu.SubTrigger>
            <DropdownMenu.SubContent className="menu facet-menu" sideOffset={2} loop>
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
  if (values === undefined) return <p className="menu-foot keys">…</p>;
  if (values.length === 0) return <p className="menu-foot keys">None in the last day</p>;
  return values.map((value) => (
    <DropdownMenu.Item key={value} className="menu-item" onSelect={() => onChoose(value)}>
      <span className="cut grow">{value}</span>
    </DropdownMenu.Item>
  ));
}
