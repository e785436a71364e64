/** Downloads a file. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  saveFrom(address, name);
  // The browser holds the file once the click has been handled.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/**
 * Downloads a URL.
 *
 * @param name - the file name if the response has none.
 */
export function saveFrom(address: string, name = ""): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
