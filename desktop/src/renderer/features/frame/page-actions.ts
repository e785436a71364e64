import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import type { PaletteItem } from "./palette-items.js";

/** The palette's actions of the page that is open. */
export interface PageActions {
  /** What the actions are for: `This trace`. */
  readonly name: string;
  readonly items: readonly PaletteItem[];
}

/** A store of the module, because one page is open. The actions are read when the palette opens. */
const pageActions = createStore<{ readonly read: (() => PageActions) | undefined }>()(() => ({
  read: undefined,
}));

/** Offers the actions of a page in the palette while the page is open. */
export function useOfferActions(actions: PageActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const read = (): PageActions => latest.current;
    pageActions.setState({ read });
    return () => {
      if (pageActions.getState().read === read) pageActions.setState({ read: undefined });
    };
  }, []);
}

/** The actions of the open page; undefined if it has none. */
export function usePageActions(): PageActions | undefined {
  return useStore(pageActions, ({ read }) => read)?.();
}
