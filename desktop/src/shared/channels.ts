/** All IPC channels between the preload script and the main process. */
export const CHANNELS = {
  /** Page to main, with the URL; answers whether the user allowed it. */
  openExternal: "obspan:open-external",
  /** Main to page, with a `MenuCommand`. */
  menu: "obspan:menu",
} as const;

/** Argument that passes the version to the preload script, which is sandboxed and could not get it synchronously. */
export const VERSION_ARGUMENT = "--obspan-version=";
