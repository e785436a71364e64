import { formatQueryText, type Facets, type TraceSummary } from "@obspan/collector-core/api-schema";
import type { LucideIcon } from "lucide-react";
import {
  BadgeCheck,
  Bot,
  Building2,
  CircleDot,
  Hash,
  Layers,
  Server,
  Shapes,
  Sparkles,
  TextSearch,
} from "lucide-react";
import type { TraceFilters } from "../../api/collector-api.js";
import { formatDuration, formatWhole } from "../../format.js";
import { parseTraceId } from "../../store/parse-trace-id.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { FACET_KEYS, facetValues, type FacetKey } from "../../store/traces-state.js";
import { traceHref } from "../trace/trace-address.js";
import { tracesAddress } from "../traces/filter-address.js";
import { PAGES } from "./pages.js";
import spanTypeStyles from "../../components/span-type.module.css";

/** One line of the palette. */
export interface PaletteItem {
  /** Unique in the palette. */
  readonly id: string;
  readonly label: string;
  /** Secondary text, in grey. */
  readonly detail?: string | undefined;
  readonly sign:
    | { readonly icon: LucideIcon; readonly className?: string | undefined }
    | { readonly status: string };
  /** At the right edge. */
  readonly figures?: readonly string[];
  readonly keys?: readonly string[];
  /** Additional search terms. */
  readonly keywords?: string;
  /** Shown in red, because it cannot be undone. */
  readonly isDanger?: boolean;
  /** Link target. It can also be opened in another tab. */
  readonly href?: string;
  /** Action of an item without a link. */
  readonly run?: () => void;
}

export interface PaletteGroup {
  readonly name: string;
  readonly items: readonly PaletteItem[];
}

/** The data that the items are built from. */
export interface PaletteSource {
  readonly query: string;
  readonly found: readonly TraceSummary[];
  readonly foundById: readonly TraceSummary[];
  /** Shown while the query is empty. */
  readonly recent: readonly TraceSummary[];
  readonly facets: Facets | undefined;
  /** A chosen filter is added to these. */
  readonly filters: TraceFilters;
  readonly actions: readonly PaletteItem[];
  /** Actions of the open page. */
  readonly page: PaletteGroup | undefined;
  readonly nowMs: number;
}

const FILTERS_SHOWN = 5;
const FACET_SIGNS: Readonly<Record<FacetKey, { icon: LucideIcon; className?: string | undefined }>> = {
  service: { icon: Server },
  env: { icon: Layers },
  agent: { icon: Bot, className: spanTypeStyles.agent },
  model: { icon: Sparkles, className: spanTypeStyles.llm },
  status: { icon: CircleDot },
  span_type: { icon: Shapes },
  has_evaluation: { icon: BadgeCheck },
  tenant: { icon: Building2 },
};

/** The groups for a query: `>` limits it to actions, `#` to a trace id. Empty groups are left out. */
export function paletteGroups(source: PaletteSource): readonly PaletteGroup[] {
  const query = source.query.trim();
  const traces = { name: query === "" ? "Recent traces" : "Traces", items: traceItems(source, query) };
  const filters = { name: "Filter traces", items: filterItems(source, query) };
  const pages = { name: "Pages", items: matching(PAGE_ITEMS, query) };
  const actions = { name: "Actions", items: matching(source.actions, query) };
  const here = { name: source.page?.name ?? "", items: matching(source.page?.items ?? [], query) };
  // Filtering by the text comes last: "settings" means the page.
  const hasFilters = filters.items.length > 1;
  const groups = query.startsWith(">")
    ? [
        { ...here, items: matching(source.page?.items ?? [], query.slice(1)) },
        { ...actions, items: matching(source.actions, query.slice(1)) },
      ]
    : query.startsWith("#")
      ? [traces]
      : query === ""
        ? [here, traces, pages, actions]
        : hasFilters
          ? [traces, filters, here, pages, actions]
          : [traces, here, pages, actions, filters];
  return groups.filter(({ items }) => items.length > 0);
}

const PAGE_ITEMS: readonly PaletteItem[] = PAGES.map(({ name, path, icon, key }) => ({
  id: `page ${path}`,
  label: name,
  sign: { icon },
  keys: ["G", key],
  keywords: "go to page",
  href: path,
}));

function traceItems({ found, foundById, recent, nowMs }: PaletteSource, query: string): PaletteItem[] {
  if (query === "") return recent.map((trace) => traceItem(trace, nowMs));
  const id = parseTraceId(query);
  const keysById = new Set(foundById.map(rowKeyOf));
  const others = found.filter((trace) => !keysById.has(rowKeyOf(trace)));
  if (foundById.length > 0) return [...foundById, ...others].map((trace) => traceItem(trace, nowMs));
  // Also before the collector has answered, and if it has no such trace: the trace page reports that.
  const byId: PaletteItem[] =
    id === undefined
      ? []
      : [
          {
            id: `id ${id}`,
            label: "Open trace",
            detail: id,
            sign: { icon: Hash },
            href: traceHref({ traceId: id, tenant: undefined }),
          },
        ];
  return [...byId, ...others.map((trace) => traceItem(trace, nowMs))];
}

function traceItem(trace: TraceSummary, nowMs: number): PaletteItem {
  const { value, unit } = formatDuration(trace.duration_ms);
  // Left out for a running trace, whose duration is only that of its latest span.
  const duration = trace.running ? "running" : `${value} ${unit}`;
  return {
    id: `trace ${rowKeyOf(trace)}`,
    label: trace.agent === null ? trace.root_name : `${trace.root_name} · ${trace.agent}`,
    detail: [trace.tenant, trace.input_preview ?? trace.trace_id].filter((part) => part !== "").join(" · "),
    sign: { status: trace.status },
    figures: [duration, formatAgo(nowMs - Date.parse(trace.start_time))],
    href: traceHref({ traceId: trace.trace_id, tenant: trace.tenant }),
  };
}

function filterItems({ facets, filters }: PaletteSource, query: string): PaletteItem[] {
  if (query === "") return [];
  const values = FACET_KEYS.flatMap((key) =>
    (facets === undefined ? [] : facetValues(facets, key))
      .filter(({ value }) => filters[key] !== value)
      .map(({ value, count }) => ({
        id: `filter ${key}:${value}`,
        label: `${key}:${value}`,
        detail: count === 1 ? "1 trace" : `${formatWhole(count)} traces`,
        sign: FACET_SIGNS[key],
        href: tracesAddress({ ...filters, [key]: value }),
      })),
  );
  const text: PaletteItem = {
    id: "filter text",
    label: `text contains “${query}”`,
    detail: "in names, prompts and answers",
    sign: { icon: TextSearch },
    href: tracesAddress(withText(filters, query)),
  };
  return [...matching(values, query).slice(0, FILTERS_SHOWN), text];
}

/** The filters, with a text that the traces have too. */
export function withText(filters: TraceFilters, text: string): TraceFilters {
  const query = [filters.query ?? "", formatQueryText(text)].join(" ").trim();
  return { ...filters, query };
}

/** Items that contain every word of the query; those whose name starts with it come first. */
function matching(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const held = items.filter(({ label, keywords = "" }) => {
    const text = `${label} ${keywords}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const begins = ({ label }: PaletteItem): boolean => label.toLowerCase().startsWith(words[0] ?? "");
  return [...held.filter(begins), ...held.filter((item) => !begins(item))];
}

/** `now`, `3 min ago`, `2 h ago`, `4 d ago`. */
export function formatAgo(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}
