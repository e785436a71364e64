import type { TraceKey } from "../../api/collector-api.js";
import { isDots } from "../../api/dot-ids.js";
import { decodeComponent, encodeComponent } from "../../api/url-component.js";

/** The views of the left pane, in the order of their keys. */
export const VIEWS = ["tree", "timeline", "flame", "graph", "transcript"] as const;
export type ViewName = (typeof VIEWS)[number];

/** Whether several spans are one part of a view, which the right pane shows before a span. */
export function hasGroups(view: ViewName): boolean {
  return view === "flame" || view === "graph";
}

/** The tabs of the right pane, in the order of their keys. */
export const TABS = ["messages", "context", "tools", "evaluations", "attributes", "raw"] as const;
export type TabName = (typeof TABS)[number];

/** The part of the page's state that is in its URL. */
export interface TraceAddress {
  readonly spanId: string | undefined;
  readonly tab: TabName;
  /** Undefined if the link names none: the trace decides. */
  readonly view: ViewName | undefined;
}

/** Reads `?span=…&tab=messages&view=timeline`; unknown values are ignored. */
export function parseTraceSearch(search: string): TraceAddress {
  const parameters = new URLSearchParams(search);
  const spanId = parameters.get("span");
  return {
    spanId: spanId === null || spanId === "" ? undefined : spanId,
    tab: TABS.find((tab) => tab === parameters.get("tab")) ?? "messages",
    view: VIEWS.find((view) => view === parameters.get("view")),
  };
}

/** The tenant in a URL; undefined if it names none. */
export function tenantOf(search: string): string | undefined {
  const tenant = new URLSearchParams(search).get("tenant");
  return tenant === null || tenant === "" ? undefined : tenant;
}

/** URL of a trace. */
export function traceHref(key: TraceKey): string {
  return withParameters(key, tenantParameters(key));
}

/** Path and query of a trace page, for copied links. */
export function tracePath(key: TraceKey, { spanId, tab, view }: TraceAddress): string {
  const parameters = tenantParameters(key);
  if (spanId !== undefined) parameters.set("span", spanId);
  parameters.set("tab", tab);
  if (view !== undefined) parameters.set("view", view);
  return withParameters(key, parameters);
}

function tenantParameters({ tenant }: TraceKey): URLSearchParams {
  return new URLSearchParams(tenant === undefined || tenant === "" ? {} : { tenant });
}

/** Path of the page that takes the trace id in the query. */
const BY_QUERY = "by-id";

function withParameters({ traceId }: TraceKey, parameters: URLSearchParams): string {
  if (isDots(traceId)) {
    parameters.set("trace_id", traceId);
    return `/traces/${BY_QUERY}?${parameters.toString()}`;
  }
  const query = parameters.toString();
  return `/traces/${encodeComponent(traceId)}${query === "" ? "" : `?${query}`}`;
}

/** The trace id in the page's URL. The router decodes it only partly, and an id may contain any character. */
export function traceIdOf({
  pathname,
  search,
}: {
  readonly pathname: string;
  readonly search: string;
}): string {
  const named = new URLSearchParams(search).get("trace_id");
  if (named !== null && isDots(named)) return named;
  return decodeComponent(pathname.split("/")[2] ?? "");
}
