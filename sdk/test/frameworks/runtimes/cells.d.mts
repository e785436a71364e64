import type { NpxProgram } from "../check/npx-program.mjs";

/** Where an app runs. */
export interface Runtime {
  readonly name: string;
  readonly program: NpxProgram;
  /** The arguments that load `@obspan/sdk/register` before the app. */
  readonly load: readonly string[];
  /** The arguments that run an app without it. */
  readonly run?: readonly string[];
  /** Further ways to end. */
  readonly ends?: readonly string[];
}

/** The runtimes of the matrix. */
export const RUNTIMES: readonly Runtime[];

/** All cells of the matrix, row by row. */
export const CELLS: readonly {
  readonly runtime: Runtime;
  readonly form: { readonly name: string };
  readonly limit: string | undefined;
}[];
