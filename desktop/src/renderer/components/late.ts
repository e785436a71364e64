import { createElement, lazy, useEffect, useState, type ComponentType } from "react";

/** A component that is loaded when it is first shown, or before. */
export type Late<Props> = ComponentType<Props> & { readonly preload: () => void };

/** What is there is drawn first. */
const PRELOAD_MS = 300;

/** Loads something while the calling component is shown, which may open it. `preload` is the same in each render. */
export function usePreload(preload: () => void): void {
  useEffect(() => {
    const timer = setTimeout(preload, PRELOAD_MS);
    return () => clearTimeout(timer);
  }, [preload]);
}

/** If it is loaded it is shown at once. React shows the fallback of one that is not for 300 ms at least. */
export function late<Props extends object>(fetchIt: () => Promise<ComponentType<Props>>): Late<Props> {
  let loaded: ComponentType<Props> | undefined;
  const load = async (): Promise<ComponentType<Props>> => (loaded ??= await fetchIt());
  const Lazy = lazy(async () => ({ default: await load() })) as ComponentType<Props>;

  function Shown(props: Props) {
    // A component is a function, which as a state must be wrapped.
    const [{ It }] = useState(() => ({ It: loaded ?? Lazy }));
    return createElement(It, props);
  }
  return Object.assign(Shown, {
    preload() {
      // If it fails, it is loaded when it is shown.
      void load().catch(() => undefined);
    },
  });
}
