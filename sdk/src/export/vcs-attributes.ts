import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** What root spans carry about the revision that the app runs. */
export interface VcsAttributes {
  readonly "vcs.ref.head.revision"?: string;
  readonly "vcs.ref.head.name"?: string;
}

/** Variables of CI systems and hosts, for the revision and for the name of the branch. They win over the files of git. */
const REVISION_VARIABLES = [
  "GITHUB_SHA",
  "CI_COMMIT_SHA",
  "VERCEL_GIT_COMMIT_SHA",
  "BITBUCKET_COMMIT",
  "CIRCLE_SHA1",
  "BUILD_SOURCEVERSION",
  "RENDER_GIT_COMMIT",
];
const NAME_VARIABLES = [
  "GITHUB_HEAD_REF",
  "GITHUB_REF_NAME",
  "CI_COMMIT_REF_NAME",
  "VERCEL_GIT_COMMIT_REF",
  "BITBUCKET_BRANCH",
  "CIRCLE_BRANCH",
  "BUILD_SOURCEBRANCHNAME",
  "RENDER_GIT_BRANCH",
];
const MAX_LENGTH = 200;
const MAX_PARENTS = 32;

/** Reads the revision from the environment, otherwise from `.git`, without starting git. Never rejects. */
export async function readVcsAttributes(
  environment: Readonly<Record<string, string | undefined>>,
  directory: string,
): Promise<VcsAttributes> {
  const first = (names: readonly string[]) => names.map((name) => environment[name]).find(Boolean);
  let revision = first(REVISION_VARIABLES);
  let name = first(NAME_VARIABLES);
  if (revision === undefined) {
    const head = await readHead(directory);
    revision = head.revision;
    name ??= head.name;
  }
  return {
    ...(revision === undefined ? {} : { "vcs.ref.head.revision": revision.slice(0, MAX_LENGTH) }),
    ...(name === undefined ? {} : { "vcs.ref.head.name": name.slice(0, MAX_LENGTH) }),
  };
}

interface Head {
  readonly revision?: string | undefined;
  readonly name?: string | undefined;
}

async function readHead(start: string): Promise<Head> {
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

async function headOf(head: string, gitDirectory: string): Promise<Head> {
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
