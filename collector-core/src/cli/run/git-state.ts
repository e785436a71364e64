import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** What the files of git say about a working directory. */
export interface GitState {
  readonly repositoryName?: string | undefined;
  /** Without credentials. */
  readonly repositoryUrl?: string | undefined;
  readonly branch?: string | undefined;
  readonly revision?: string | undefined;
}

const MAX_PARENTS = 32;

/** Reads `.git` of a directory or of one above it, without starting git. Never throws. */
export function readGitState(start: string): GitState {
  for (let directory = start, parents = 0; parents < MAX_PARENTS; parents++) {
    const git = join(directory, ".git");
    // A worktree or a submodule has a file that names the directory.
    const link = /^gitdir: (.+)$/m.exec(read(git) ?? "")?.[1];
    const gitDirectory = link === undefined ? git : resolve(directory, link.trim());
    const head = read(join(gitDirectory, "HEAD"))?.trim();
    if (head !== undefined) return stateOf(head, gitDirectory);
    const parent = dirname(directory);
    if (parent === directory) break;
    directory = parent;
  }
  return {};
}

function stateOf(head: string, gitDirectory: string): GitState {
  const common = resolve(gitDirectory, read(join(gitDirectory, "commondir"))?.trim() ?? ".");
  const repository = repositoryOf(read(join(common, "config")) ?? "");
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return { ...repository, revision: asRevision(head) };
  const loose = read(join(gitDirectory, ref)) ?? read(join(common, ref));
  const packed = (): string | undefined =>
    read(join(common, "packed-refs"))
      ?.split("\n")
      .find((line) => line.endsWith(` ${ref}`));
  return {
    ...repository,
    revision: asRevision((loose ?? packed())?.split(" ")[0]),
    branch: ref.replace(/^refs\/(?:heads|tags)\//, ""),
  };
}

function asRevision(text: string | undefined): string | undefined {
  return /^[\da-f]{40,64}$/.exec(text?.trim() ?? "")?.[0];
}

/** The address of the remote `origin`, as a browser opens it. */
function repositoryOf(config: string): Pick<GitState, "repositoryName" | "repositoryUrl"> {
  const lines = config.split("\n").map((line) => line.trim());
  const section = lines.indexOf('[remote "origin"]');
  if (section === -1) return {};
  const rest = lines.slice(section + 1);
  const end = rest.findIndex((line) => line.startsWith("["));
  const line = (end === -1 ? rest : rest.slice(0, end)).find((one) => /^url\s*=/.test(one));
  const remote = line?.slice(line.indexOf("=") + 1).trim();
  const url = remote === undefined ? undefined : browserUrl(remote);
  return { repositoryUrl: url, repositoryName: url?.slice(url.lastIndexOf("/") + 1) };
}

/** `git@host:owner/name.git` and every address with credentials become `https://host/owner/name`. */
function browserUrl(remote: string): string | undefined {
  const [, host, path] = /^(?:[^@/\s]+@)?([\w.-]{2,}):(?!\/)(\S+)$/.exec(remote) ?? [];
  const address = host === undefined ? remote : `ssh://${host}/${path ?? ""}`;
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(address);
  if (!/^(?:https?|ssh|git):$/.test(protocol) || hostname === "") return undefined;
  const isWeb = protocol === "https:" || protocol === "http:";
  const place = isWeb && port !== "" ? `${hostname}:${port}` : hostname;
  return `${protocol === "http:" ? "http" : "https"}://${place}${pathname.replace(/\/$/, "").replace(/\.git$/, "")}`;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
