/** The cells of the matrix: each runtime with each form of an app, and how an app's process may end. */
import { BUN, DENO, nodeOf } from "../check/npx-program.mjs";

/**
 * @typedef {object} Runtime
 * @property {string} name
 * @property {import("../check/npx-program.mjs").NpxProgram} program
 * @property {readonly string[]} load - the arguments that load `@obspan/sdk/register` before the app.
 * @property {readonly string[]} [run] - the arguments that run an app without it.
 * @property {readonly string[]} [ends] - further ways to end, besides {@link ENDS}.
 */

/** @type {readonly Runtime[]} */
export const RUNTIMES = [
  ...["20", "22", "24", "26"].map((version) => ({
    name: `Node ${version}`,
    program: nodeOf(version),
    load: ["--import", "@obspan/sdk/register"],
  })),
  { name: "Bun", program: BUN, load: ["--preload", "@obspan/sdk/register"] },
  {
    name: "Deno",
    program: DENO,
    run: ["run", "--quiet", "--allow-all"],
    load: ["--preload", "npm:@obspan/sdk/register"],
    ends: ["Deno.exit"],
  },
];

/**
 * @typedef {object} Form
 * @property {string} name
 * @property {"mjs" | "cjs"} extension
 * @property {"esbuild" | "vite"} [bundler]
 * @property {boolean} [hasRegister] - true if the bundle contains `@obspan/sdk/register`.
 */

/** @type {readonly Form[]} */
export const FORMS = [
  { name: "ES modules", extension: "mjs" },
  { name: "CommonJS", extension: "cjs" },
  { name: "esbuild, ES modules", extension: "mjs", bundler: "esbuild" },
  { name: "esbuild, CommonJS", extension: "cjs", bundler: "esbuild" },
  { name: "Vite SSR", extension: "mjs", bundler: "vite" },
  { name: "register in the bundle", extension: "mjs", bundler: "esbuild", hasRegister: true },
];

/** How the process of an app ends. The spans of its last milliseconds must arrive each time. */
export const ENDS = /** @type {const} */ ([
  "nothing left to do",
  "process.exit",
  "SIGTERM",
  "uncaught error",
]);

/**
 * Cells that cannot work, with the reason that the page gives. The check fails if such a cell works.
 *
 * @type {readonly { runtime: string, form: string, reason: string }[]}
 */
export const LIMITS = [];

/** All cells, row by row. */
export const CELLS = RUNTIMES.flatMap((runtime) =>
  FORMS.map((form) => ({
    runtime,
    form,
    limit: LIMITS.find((limit) => limit.runtime === runtime.name && limit.form === form.name)?.reason,
  })),
);
