import { dialog, type BrowserWindow, type MessageBoxOptions } from "electron";

/**
 * Shows a dialog, over a window if there is one.
 *
 * @returns the index of the button.
 */
export async function askUser(options: MessageBoxOptions, window?: BrowserWindow): Promise<number> {
  // Windows would show some buttons as links.
  const box = { title: "Obspan", noLink: true, ...options };
  const { response } =
    window === undefined ? await dialog.showMessageBox(box) : await dialog.showMessageBox(window, box);
  return response;
}
