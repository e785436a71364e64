/** A template whose escapes mean something else. */
const RAW_TEMPLATE = /String\.raw`[\0-_a-\xff]*[^\0-\xff]/;

/**
 * Escapes the characters of a bundle that are not in Latin-1. V8 keeps a source text with one of them, such as `…` in a message, in two
 * bytes for each character: 2.2 MB of the heap for nothing.
 *
 * @returns {import("vite").Plugin}
 */
export function latin1Chunks() {
  return {
    name: "latin1-chunks",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        if (RAW_TEMPLATE.test(file.code))
          this.error(
            `${file.fileName} has a String.raw with a character that is not in Latin-1: write it as an escape.`,
          );
        file.code = file.code.replace(
          /[^\0-\xff]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      }
    },
  };
}
