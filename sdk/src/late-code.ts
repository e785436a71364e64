/** The code that the start of an app does not need; late.ts names it. */
// oxlint-disable-next-line typescript/no-empty-object-type -- this file must not import what late.ts imports
export interface LateCode {}

let late: LateCode | undefined;
let loading: Promise<void> | undefined;
let load: () => Promise<LateCode>;

/** Sets what loads the code. */
export function setLateLoader(loader: () => Promise<LateCode>): void {
  load = loader;
}

/**
 * Calls a function with the late code: at once if it is loaded, otherwise when it is. The function gets undefined if the files
 * of the package are gone, for example after a deployment. It must not throw.
 */
export function withLateCode(use: (code: LateCode | undefined) => void): void {
  if (late !== undefined) use(late);
  else void loadLateCode().then(() => use(late));
}

/** The late code, or undefined in the first milliseconds, until it is loaded. */
export function lateCode(): LateCode | undefined {
  return late;
}

/** Loads the late code. Never rejects. */
export function loadLateCode(): Promise<void> {
  return (loading ??= load().then(
    (code) => {
      late = code;
    },
    () => {
      loading = undefined;
    },
  ));
}
