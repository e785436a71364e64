import type { Environment } from "../config/read-config.js";

/** What root spans carry about the revision that the app runs, and about the command that started it. */
export interface VcsAttributes {
  readonly "vcs.ref.head.revision"?: string;
  readonly "vcs.ref.head.name"?: string;
  readonly "vcs.repository.url.full"?: string;
  readonly "vcs.repository.name"?: string;
  readonly "obspan.run.id"?: string;
}

/** Environment variables in which CI systems and hosts name the revision and the branch. They take precedence over the files of git. */
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
/** What `obspan run` says in OTEL_RESOURCE_ATTRIBUTES besides. */
const RESOURCE_KEYS = ["vcs.repository.url.full", "vcs.repository.name", "obspan.run.id"];
const MAX_LENGTH = 200;

/** A revision and the name of its branch or tag. */
export interface Revision {
  readonly revision?: string | undefined;
  readonly name?: string | undefined;
}

/** Reads the variables of CI systems and hosts. */
export function readVcsVariables(environment: Environment): Revision {
  const first = (names: readonly string[]) => names.map((name) => environment[name]).find(Boolean);
  return { revision: first(REVISION_VARIABLES), name: first(NAME_VARIABLES) };
}

/** Reads what OTEL_RESOURCE_ATTRIBUTES says about the repository and the command: `key=value` with commas, percent-encoded. */
export function readResourceVariables({ OTEL_RESOURCE_ATTRIBUTES: list = "" }: Environment): VcsAttributes {
  const attributes: Record<string, string> = {};
  for (const item of list.split(",")) {
    const [key = "", value = ""] = item.split("=", 2).map((part) => part.trim());
    if (RESOURCE_KEYS.includes(key)) attributes[key] = decoded(value).slice(0, MAX_LENGTH);
  }
  return attributes;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The attributes of a revision. */
export function toVcsAttributes({ revision, name }: Revision): VcsAttributes {
  return {
    ...(revision === undefined ? {} : { "vcs.ref.head.revision": revision.slice(0, MAX_LENGTH) }),
    ...(name === undefined ? {} : { "vcs.ref.head.name": name.slice(0, MAX_LENGTH) }),
  };
}
