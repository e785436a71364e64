/** Commands from the application menu to the page. */
export const MENU_COMMANDS = ["palette", "shortcuts", "rail"] as const;
export type MenuCommand = (typeof MENU_COMMANDS)[number];

/** What is known of the key of the judge's provider. */
export interface JudgeKeyState {
  /** `plain`: not protected, because the user wanted it so. `unreadable`: it must be entered again. */
  readonly stored: "none" | "system" | "plain" | "unreadable";
  /** A variable of the start is used instead. */
  readonly isOverridden: boolean;
}

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
  /** The key of the judge's provider, in the system's safe storage. It is never given back. */
  readonly judgeKey: {
    state(): Promise<JudgeKeyState>;
    /** Asks the user before it saves a key that the system cannot protect. Takes effect after a restart. */
    save(key: string): Promise<JudgeKeyState>;
    /** Rejects with the reason if the configuration needs the key. */
    remove(): Promise<JudgeKeyState>;
  };
  /** The offer of the first run to change how long traces are kept. */
  readonly retention: {
    isSettled(): Promise<boolean>;
    settle(): Promise<void>;
  };
  /**
   * Offers a file that was dropped on the page in the menu "Open Recent". It is not opened.
   *
   * @param file - a `File`, which the main process has no type of.
   */
  rememberFile(file: object): Promise<void>;
  /** Processes what apps have sent, ends the app and starts it again. */
  restart(): Promise<void>;
  /**
   * Calls `listener` with each menu command.
   *
   * @returns a function that stops it.
   */
  onMenu(listener: (command: MenuCommand) => void): () => void;
}
