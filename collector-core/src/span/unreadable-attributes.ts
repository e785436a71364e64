import type { Attributes } from "@obspan/sdk/wire";

/** Replaces the attributes of a span that cannot be serialized, because it is nested too deep or too long for a string. */
export function unreadableAttributes(error: RangeError): Attributes {
  return { unreadable: `The attributes and events cannot be written: ${error.message}.` };
}
