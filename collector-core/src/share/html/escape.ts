const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["\0", "\ufffd"],
]);

/** A text as the content of an element or of an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"'\0]/g, (character) => ENTITIES.get(character) ?? character);
}

/** A value as JSON inside a script element: without `<`, nothing in it can end the element or open a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c").toWellFormed();
}
