/** Every channel between the page's preload and the main process. There are no others. */
export const CHANNELS = {
  /** Page to main, with the address; answers whether the user let it open. */
  openExternal: "obspan:open-external",
  /** Main to page, with a `MenuCommand`. */
  menu: "obspan:menu",
} as const;

/** How main tells preload the app's version: a sandboxed preload cannot ask for it without a round trip. */
export const VERSION_ARGUMENT = "--obspan-version=";
