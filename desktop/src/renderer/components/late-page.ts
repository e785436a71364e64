import { lazy, useState, type ComponentType } from "react";

/** A page that is loaded when it is opened, or before. */
export interface LatePage<Props> {
  /** Loads the page before it is opened. */
  readonly preload: () => void;
  /** The page. If it is loaded it is there at once: React shows a fallback for 300 ms at least. */
  readonly usePage: () => ComponentType<Props>;
}

export function latePage<Props extends object>(
  fetchPage: () => Promise<ComponentType<Props>>,
): LatePage<Props> {
  let loaded: ComponentType<Props> | undefined;
  const load = async (): Promise<ComponentType<Props>> => (loaded ??= await fetchPage());
  const Lazy = lazy(async () => ({ default: await load() })) as ComponentType<Props>;
  return {
    preload() {
      // If it fails, it is loaded when it is opened.
      void load().catch(() => undefined);
    },
    usePage() {
      // A component is a function, which as a state must be wrapped.
      const [{ Page }] = useState(() => ({ Page: loaded ?? Lazy }));
      return Page;
    },
  };
}
