/** An example of a page of the guide. */
export function exampleOf(page: string, index?: number): string;

/** The app that a user had before Obspan, and the number of lines that were added to it. */
export function withoutObspan(
  example: string,
  unwrap: readonly (readonly [text: string, own: string])[],
): { readonly code: string; readonly added: number };

/** The example without `configure()`, for an app that is configured by its environment. */
export function withoutConfigure(example: string): string;
