import { lazy, useState, type ComponentType } from "react";

/** The page, once it is loaded. */
let loaded: ComponentType | undefined;

async function load(): Promise<ComponentType> {
  loaded ??= (await import("./compare-page.js")).ComparePage;
  return loaded;
}

/** Loads the page before it is opened. */
export function preloadComparePage(): void {
  // If it fails, it is loaded when it is opened.
  void load().catch(() => undefined);
}

const LazyPage = lazy(async () => ({ default: await load() }));

/** The page of two runs. If it is loaded it is there at once: React shows a fallback for 300 ms at least. */
export function useComparePage(): ComponentType {
  // A component is a function, which as a state must be wrapped.
  const [{ Page }] = useState(() => ({ Page: loaded ?? LazyPage }));
  return Page;
}
