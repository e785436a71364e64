import type { ExitOptions } from "../export/exit-options.js";

/** What is used of a page. */
interface Page extends EventTarget {
  readonly visibilityState: string;
}

const page = (globalThis as { readonly document?: Page }).document;

/** True while the user does not see the page: it may be closed at any time. */
export function isPageHidden(): boolean {
  return page?.visibilityState === "hidden";
}

/**
 * Sends the buffered spans when the user leaves the page. Runtimes without a page end without notice: there the app calls
 * `flush()`.
 *
 * @returns a function that stops listening.
 */
export function watchProcessExit({ flush }: Pick<ExitOptions, "flush">): () => void {
  const onChange = (): void => {
    if (isPageHidden()) void flush();
  };
  page?.addEventListener("visibilitychange", onChange);
  return () => page?.removeEventListener("visibilitychange", onChange);
}
