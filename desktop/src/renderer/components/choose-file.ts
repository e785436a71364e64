/**
 * Lets the user choose a file.
 *
 * @param accept - what the dialog offers: suffixes and types, as of an `<input type="file">`.
 */
export function chooseFile(accept: string, onChosen: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = accept;
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file !== undefined) onChosen(file);
  });
  input.click();
}
