import type { FacetSelection, SelectionKey } from "../../store/facet-selection.js";

const NAMES: Readonly<Record<SelectionKey, string>> = {
  service: "Service",
  env: "Env",
  agent: "Agent",
  model: "Model",
  status: "Status",
  span_type: "Span type",
  tenant: "Tenant",
  has_evaluation: "Evaluated",
  user: "User",
  state: "State",
  feedback: "Feedback",
};

const VALUE_NAMES: ReadonlyMap<string, string> = new Map([
  ["has_evaluation:true", "yes"],
  ["has_evaluation:false", "no"],
  ["feedback:up", "thumb up"],
  ["feedback:down", "thumb down"],
  ["feedback:none", "no thumb"],
]);

/** Display name of a filter. */
export function facetName(facet: SelectionKey): string {
  return NAMES[facet];
}

/** The chosen values in few characters: `shop`, or `not shop`, and how many more; undefined if none is chosen. */
export function selectionText(
  facet: SelectionKey,
  { include, exclude }: FacetSelection,
): { readonly text: string; readonly more: number } | undefined {
  const [first = exclude[0]] = include;
  if (first === undefined) return undefined;
  const name = valueName(facet, first);
  return { text: include.length === 0 ? `not ${name}` : name, more: include.length + exclude.length - 1 };
}

/** Display text of a value. */
export function valueName(facet: SelectionKey, value: string): string {
  return VALUE_NAMES.get(`${facet}:${value}`) ?? value;
}
