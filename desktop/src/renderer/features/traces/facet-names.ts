import type { FacetSelection } from "../../store/facet-selection.js";
import type { FacetKey } from "../../store/traces-state.js";

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

/** Display name of a filter. */
export function facetName(facet: FacetKey): string {
  return NAMES[facet];
}

/** The chosen values in few characters: `shop`, or `not shop`, and how many more; undefined if none is chosen. */
export function selectionText(
  facet: FacetKey,
  { include, exclude }: FacetSelection,
): { readonly text: string; readonly more: number } | undefined {
  const [first = exclude[0]] = include;
  if (first === undefined) return undefined;
  const name = valueName(facet, first);
  return { text: include.length === 0 ? `not ${name}` : name, more: include.length + exclude.length - 1 };
}

/** Display text of a value. */
export function valueName(facet: FacetKey, value: string): string {
  if (facet !== "has_evaluation") return value;
  return { true: "yes", false: "no" }[value] ?? value;
}
