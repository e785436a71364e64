import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "../config/read-config.js";
import {
  readResourceVariables,
  readVcsVariables,
  toVcsAttributes,
  type Revision,
  type VcsAttributes,
} from "./vcs-variables.js";

const MAX_PARENTS = 32;

/**
 * Reads the revision from the environment, otherwise from `.git`, without starting git, and what `obspan run` has put into the
 * environment. Never rejects.
 */
export async function readVcsAttributes(environment: Environment, directory: string): Promise<VcsAttributes> {
  const variables = readVcsVariables(environment);
  const { revision, name } = variables.revision === undefined ? await readHead(directory) : variables;
  return {
    ...toVcsAttributes({ revision, name: variables.name ?? name }),
    ...readResourceVariables(environment),
  };
}

async function readHead(start: string): Promise<Revision> {
  for (let directory = start, parents = 0; parents < MAX_PARENTS; parents++) {
    const git = join(directory, ".git");
    // A worktree or a submodule has a file that names the directory.
    const link = /^gitdir: (.+)$/m.exec((await read(git)) ?? "")?.[1];
    const gitDirectory = link === undefined ? git : resolve(directory, link);
    const head = (await read(join(gitDirectory, "HEAD")))?.trim();
    if (head !== undefined) return headOf(head, gitDirectory);
    const parent = dirname(directory);
    if (parent === directory) break;
    directory = parent;
  }
  return {};
}

async function headOf(head: string, gitDirectory: string): Promise<Revision> {
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return { revision: asRevision(head) };
  const common = resolve(gitDirectory, (await read(join(gitDirectory, "commondir")))?.trim() ?? ".");
  const loose = (await read(join(gitDirectory, ref))) ?? (await read(join(common, ref)));
  const packed = async () =>
    (await read(join(common, "packed-refs")))?.split("\n").find((line) => line.endsWith(` ${ref}`));
  return {
    revision: asRevision((loose ?? (await packed()))?.split(" ")[0]),
    name: ref.replace(/^refs\/(?:heads|tags)\//, ""),
  };
}

function asRevision(text: string | undefined): string | undefined {
  return /^[\da-f]{40,64}$/.exec(text?.trim() ?? "")?.[0];
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
