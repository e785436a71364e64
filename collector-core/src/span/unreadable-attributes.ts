import type { Attributes } from "@obspan/sdk/wire";

/** What is written in place of the attributes of a span that cannot be written, nested too deep or too long for a text. */
export function unreadableAttributes(error: RangeError): Attributes {
  return { unreadable: `The attributes and events cannot be written: ${error.message}.` };
}
