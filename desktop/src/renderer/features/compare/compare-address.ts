import type { TraceKey } from "../../api/collector-api.js";
import type { ComparedKeys } from "../../store/compare-store.js";

/** The views of a comparison, in the order of their keys. */
export const COMPARE_VIEWS = ["spans", "prompts"] as const;
export type CompareView = (typeof COMPARE_VIEWS)[number];

/** What the URL of a comparison says. */
export interface CompareAddress {
  /** Undefined if the link names no run. */
  readonly keys: ComparedKeys | undefined;
  readonly view: CompareView;
  /** Id of a span of the selected step. */
  readonly step: string | undefined;
}

/** Reads `?a=…&b=…&tenant=…&view=prompts&step=…`; unknown values are ignored. */
export function parseCompareSearch(search: string): CompareAddress {
  const parameters = new URLSearchParams(search);
  const named = (name: string): string | undefined => parameters.get(name) ?? undefined;
  const [a, b, tenant] = [named("a"), named("b"), named("tenant")];
  const of = (traceId: string | undefined, owner: string | undefined): TraceKey | undefined =>
    traceId === undefined || traceId === "" ? undefined : { traceId, tenant: owner };
  const versus = named("versus") === "prompt" ? ({ versus: "prompt" } as const) : {};
  const inA = of(a, tenant);
  const inB = of(b, named("tenant_b") ?? tenant);
  return {
    keys: inB === undefined ? inA && { a: undefined, b: inA } : { a: inA, b: inB, ...versus },
    view: COMPARE_VIEWS.find((view) => view === parameters.get("view")) ?? "spans",
    step: named("step"),
  };
}

/** URL of a comparison. Without A, it is the previous run of the same name. */
export function compareHref(
  { a, b, versus }: ComparedKeys,
  { view = "spans", step }: Partial<Pick<CompareAddress, "view" | "step">> = {},
): string {
  const parameters = new URLSearchParams();
  if (a !== undefined) parameters.set("a", a.traceId);
  parameters.set("b", b.traceId);
  const [tenantA, tenantB] = [a?.tenant ?? b.tenant ?? "", b.tenant ?? ""];
  if (tenantA !== "" || tenantB !== "") parameters.set("tenant", tenantA);
  if (tenantB !== tenantA) parameters.set("tenant_b", tenantB);
  if (a === undefined && versus !== undefined) parameters.set("versus", versus);
  if (view !== "spans") parameters.set("view", view);
  if (step !== undefined) parameters.set("step", step);
  return `/compare?${parameters.toString()}`;
}
