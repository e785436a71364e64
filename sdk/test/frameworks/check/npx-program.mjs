/** Programs that npx installs from their npm packages, and caches. */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { promisify } from "node:util";

/**
 * @typedef {object} NpxProgram
 * @property {string} package - the npm package with the program, which has its name: `bun@1.4.5`.
 * @property {readonly string[]} printPath - the arguments that print the path of the program.
 */

/** @type {NpxProgram} */
export const BUN = { package: "bun@1.4.5", printPath: ["--print", "process.execPath"] };

/** @type {NpxProgram} */
export const DENO = { package: "deno@2.9.6", printPath: ["eval", "console.log(Deno.execPath())"] };

/** @param {string} version @returns {NpxProgram} a version of Node. */
export const nodeOf = (version) => ({
  package: `node@${version}`,
  printPath: ["--print", "process.execPath"],
});

/** The paths of programs, by their package. */
const paths = new Map();

/**
 * @param {NpxProgram} program
 * @returns {Promise<string>} the path of the program.
 */
export async function programOf(program) {
  const { package: name } = program;
  if (!paths.has(name)) paths.set(name, findProgram(program));
  return await paths.get(name);
}

/**
 * Makes a program a command of the project.
 *
 * @param {NpxProgram} program
 */
export async function linkProgram(program) {
  const link = `node_modules/.bin/${commandOf(program)}`;
  mkdirSync("node_modules/.bin", { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(await programOf(program), link);
}

async function findProgram(program) {
  const { package: name, printPath } = program;
  const command = commandOf(program);
  if (command === "node" && process.versions.node.startsWith(`${name.slice("node@".length)}.`))
    return process.execPath;
  const { stdout } = await promisify(execFile)("npx", ["--yes", "--package", name, command, ...printPath]);
  return stdout.trim();
}

const commandOf = ({ package: name }) => name.split("@", 1)[0];
