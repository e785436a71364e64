import type { Environment } from "../config/read-config.js";

/** What root spans carry about the revision that the app runs. */
export interface VcsAttributes {
  readonly "vcs.ref.head.revision"?: string;
  readonly "vcs.ref.head.name"?: string;
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

/** The attributes of a revision. */
export function toVcsAttributes({ revision, name }: Revision): VcsAttributes {
  return {
    ...(revision === undefined ? {} : { "vcs.ref.head.revision": revision.slice(0, MAX_LENGTH) }),
    ...(name === undefined ? {} : { "vcs.ref.head.name": name.slice(0, MAX_LENGTH) }),
  };
}
