import type * as Electron from "electron";
import type { MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from "electron";

/** Messages from the double to the test that started it. */
export type DoubleReport =
  | {
      readonly type: "dialog";
      readonly id: number;
      readonly options: MessageBoxOptions;
      readonly hasParent: boolean;
    }
  | { readonly type: "open-dialog"; readonly id: number; readonly options: OpenDialogOptions }
  | { readonly type: "save-dialog"; readonly id: number; readonly options: SaveDialogOptions }
  | { readonly type: "relaunch"; readonly args: readonly string[] }
  | { readonly type: "protocol"; readonly protocol: string }
  | { readonly type: "progress"; readonly progress: number }
  | { readonly type: "opened-external"; readonly url: string }
  | { readonly type: "shown-in-folder"; readonly path: string }
  | { readonly type: "notification"; readonly title: string; readonly body: string }
  | { readonly type: "badge"; readonly count: number }
  /** A window needs the test's browser. */
  | { readonly type: "browser-wanted" }
  /** The first window opens its page. */
  | { readonly type: "window" }
  /** The app called this on its window. */
  | { readonly type: "window-call"; readonly call: "show" | "hide" | "focus" | "restore" | "maximize" }
  | { readonly type: "answer"; readonly id: number; readonly value?: unknown; readonly error?: string };

/** What a user, the system or a page would do. */
export type DoubleCommand =
  /** The DevTools protocol of the test's browser is at this port. */
  | { readonly type: "browser"; readonly debuggingPort: number }
  | { readonly type: "answer-dialog"; readonly id: number; readonly response: number }
  /** The user chooses files, or none. */
  | { readonly type: "answer-files"; readonly id: number; readonly paths: readonly string[] }
  /** macOS asks the app to open something. */
  | { readonly type: "open-from-system"; readonly name: "open-file" | "open-url"; readonly target: string }
  | { readonly type: "menu"; readonly id: string }
  /** The labels of the menu's entries that have an id. */
  | { readonly type: "menu-labels"; readonly id: number }
  | { readonly type: "tray-menu"; readonly id: string }
  | { readonly type: "tray"; readonly id: number }
  | { readonly type: "click-notification"; readonly nth: number }
  /** The user chooses an entry with the role `quit`. */
  | { readonly type: "quit" }
  | { readonly type: "blur" }
  | { readonly type: "close-window" }
  | { readonly type: "set-bounds"; readonly width: number; readonly height: number }
  | { readonly type: "minimize" }
  /** The page's process ends. */
  | { readonly type: "crash-page" }
  | { readonly type: "page-hangs" }
  /** The address of the page, as the main process knows it: it learns of a navigation later than the test may. */
  | { readonly type: "page-url"; readonly id: number }
  /** A process that Electron has started for the app ends. */
  | { readonly type: "child-process-gone"; readonly details: Electron.Details }
  | { readonly type: "attach-webview"; readonly id: number }
  /** A page of this origin would use a device that was chosen before. */
  | { readonly type: "offer-device"; readonly id: number; readonly origin: string }
  /** An IPC call that appears to come from a page with this URL, independent of the page in the window. */
  | {
      readonly type: "invoke-as";
      readonly id: number;
      readonly url: string;
      readonly isMainFrame: boolean;
      readonly channel: string;
      readonly args: readonly unknown[];
    };
