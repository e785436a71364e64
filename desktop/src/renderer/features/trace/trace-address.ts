/** The views of the left pane, in the order of their keys. */
export const VIEWS = ["tree", "timeline"] as const;
export type ViewName = (typeof VIEWS)[number];

/** The tabs of the right pane, in the order of their keys. */
export const TABS = ["messages", "attributes", "raw"] as const;
export type TabName = (typeof TABS)[number];

/** What of the page its address says. */
export interface TraceAddress {
  readonly spanId: string | undefined;
  readonly tab: TabName;
  readonly view: ViewName;
}

/** Reads `?span=…&tab=messages&view=timeline`; what it does not know reads as not said. */
export function parseTraceSearch(search: string): TraceAddress {
  const parameters = new URLSearchParams(search);
  const spanId = parameters.get("span");
  return {
    spanId: spanId === null || spanId === "" ? undefined : spanId,
    tab: TABS.find((tab) => tab === parameters.get("tab")) ?? "messages",
    view: VIEWS.find((view) => view === parameters.get("view")) ?? "timeline",
  };
}

/** The path and query of a page, as its link is copied. */
export function tracePath(traceId: string, { spanId, tab, view }: TraceAddress): string {
  const parameters = new URLSearchParams();
  if (spanId !== undefined) parameters.set("span", spanId);
  parameters.set("tab", tab);
  parameters.set("view", view);
  return `/traces/${encodeURIComponent(traceId)}?${parameters.toString()}`;
}

/** The trace's id in the path of its page. The router unescapes only in part; an id may hold any character. */
export function traceIdOf(pathname: string): string {
  const segment = pathname.split("/")[2] ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
