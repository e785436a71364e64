import type * as LateCode from "./late.js";

let late: typeof LateCode | undefined;
let loading: Promise<void> | undefined;

/**
 * Calls a function with the code that the start of an app does not need: at once if it is loaded, otherwise when it is. The
 * function gets undefined if the files of the package are gone, for example after a deployment. It must not throw.
 */
export function withLateCode(use: (code: typeof LateCode | undefined) => void): void {
  if (late !== undefined) use(late);
  else void loadLateCode().then(() => use(late));
}

/** Loads the code of {@link withLateCode}. Never rejects. */
export function loadLateCode(): Promise<void> {
  return (loading ??= import("./late.js").then(
    (code) => {
      late = code;
    },
    () => {
      loading = undefined;
    },
  ));
}
