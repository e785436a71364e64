import textStyles from "./text.module.css";

/**
 * Copies a text. Browsers allow pages to use the clipboard only on https and on this machine. For a collector elsewhere
 * on the network, the text is selected in a field and copied with the old command.
 *
 * @param text - a promise for one that is being fetched: some browsers allow to copy only in the click itself.
 * @returns whether it was copied.
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  try {
    if (clipboard !== undefined) {
      if (typeof text === "string") await clipboard.writeText(text);
      else await clipboard.write([new ClipboardItem({ "text/plain": text })]);
      return true;
    }
  } catch {
    // Not allowed, or the page does not have the focus: try the old command.
  }
  try {
    return copyFromField(await text);
  } catch {
    // There is no text. Who fetches it says why.
    return false;
  }
}

function copyFromField(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.className = textStyles.screenReader ?? "";
  field.value = text;
  // Inside the dialog if one is open, because a dialog takes the focus back.
  (focused?.closest("[role=dialog]") ?? document.body).append(field);
  field.select();
  // oxlint-disable-next-line typescript/no-deprecated -- the one way that is left where there is no clipboard.
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}
