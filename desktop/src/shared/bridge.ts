/** Commands from the application menu to the page. */
export const MENU_COMMANDS = ["palette", "shortcuts", "rail"] as const;
export type MenuCommand = (typeof MENU_COMMANDS)[number];

/**
 * The API that the desktop app adds to the page as `window.obspan`. The page works without it in a browser. The preload
 * script creates it and the main process answers it, both with this type.
 */
export interface DesktopBridge {
  /** `process.platform` of the machine. */
  readonly platform: string;
  /** Version of the app. */
  readonly version: string;
  /**
   * Opens an `https:` URL in the user's browser, after asking.
   *
   * @returns false if the user declined. Rejects for other URLs.
   */
  openExternal(url: string): Promise<boolean>;
  /**
   * Calls `listener` with each menu command.
   *
   * @returns a function that stops it.
   */
  onMenu(listener: (command: MenuCommand) => void): () => void;
}
