import { createElement, lazy, useState, type ComponentType } from "react";

/** A component that is loaded when it is first shown, or before. */
export type Late<Props> = ComponentType<Props> & { readonly preload: () => void };

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
