/** What the application menu asks the page to do. */
export const MENU_COMMANDS = ["palette", "shortcuts", "rail"] as const;
export type MenuCommand = (typeof MENU_COMMANDS)[number];

/**
 * What the desktop app gives the page beyond a browser, as `window.obspan`. A browser has none of it, and the page works
 * without. Preload makes it, main answers it, and all three take its type from here.
 */
export interface DesktopBridge {
  /** `process.platform` of the machine. */
  readonly platform: string;
  /** Version of the app. */
  readonly version: string;
  /**
   * Opens an `https:` address in the user's browser, after asking the user.
   *
   * @returns false where the user said no. Rejects for any other address.
   */
  openExternal(url: string): Promise<boolean>;
  /** Calls `listener` when the menu asks for something. @returns stops it. */
  onMenu(listener: (command: MenuCommand) => void): () => void;
}
