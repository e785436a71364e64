import type { OtlpEvent } from "./received-spans.js";

/**
 * Maximum number of attributes, events and links of a span that is mapped, attributes of events and links included. A span
 * is mapped in one turn of the event loop, at some microseconds for each. The exporter writes at most 20,000.
 */
export const MAX_PARTS_OF_SPAN = 50_000;

/** What {@link partsOf} counts. */
interface Parts {
  readonly attributes: ReadonlyMap<string, unknown>;
  readonly events: readonly Pick<OtlpEvent, "attributes">[];
  readonly links?: readonly Pick<OtlpEvent, "attributes">[];
}

/** The number of attributes, events and links of a span, with the attributes of its events and links. */
export function partsOf({ attributes, events, links = [] }: Parts): number {
  let parts = attributes.size + events.length + links.length;
  for (const event of events) parts += event.attributes.size;
  for (const link of links) parts += link.attributes.size;
  return parts;
}
