/** Hands a file to the user, as a download. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  saveFrom(address, name);
  // The browser has taken hold of it when the click has been handled.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Downloads what is at an address. @param name - where the answer names none. */
export function saveFrom(address: string, name = ""): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
