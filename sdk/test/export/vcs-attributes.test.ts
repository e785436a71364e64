import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readVcsAttributes } from "../../src/export/vcs-attributes.js";

function repository() {
  const directory = mkdtempSync(join(tmpdir(), "obspan-git-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: directory,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  git("init", "--initial-branch", "feature/cart");
  git("commit", "--allow-empty", "--message", "first");
  return { directory, git, revision: git("rev-parse", "HEAD") };
}

it("reads revision and branch from the files of git, also below the root, packed, detached and in a worktree", async () => {
  const { directory, git, revision } = repository();
  const below = join(directory, "apps/shop");
  mkdirSync(below, { recursive: true });
  const head = { "vcs.ref.head.revision": revision, "vcs.ref.head.name": "feature/cart" };
  expect(await readVcsAttributes({}, below)).toEqual(head);
  git("pack-refs", "--all");
  expect(await readVcsAttributes({}, below)).toEqual(head);
  const worktree = join(directory, "worktree");
  git("worktree", "add", "-b", "other", worktree);
  expect(await readVcsAttributes({}, worktree)).toEqual({ ...head, "vcs.ref.head.name": "other" });
  git("checkout", "--detach");
  expect(await readVcsAttributes({}, below)).toEqual({ "vcs.ref.head.revision": revision });
});

it("the variables of a CI system win, and without both nothing is known", async () => {
  const { directory } = repository();
  const environment = { GITHUB_SHA: "a".repeat(40), GITHUB_REF_NAME: "main" };
  expect(await readVcsAttributes(environment, directory)).toEqual({
    "vcs.ref.head.revision": "a".repeat(40),
    "vcs.ref.head.name": "main",
  });
  expect(await readVcsAttributes({}, "/")).toEqual({});
});

it("adds what `obspan run` says about the repository and the command, and nothing else of the resource", async () => {
  const OTEL_RESOURCE_ATTRIBUTES =
    "team=a, vcs.repository.url.full=https%3A%2F%2Fgit.example%2Fa%2Cb,obspan.run.id=run-1,vcs.repository.name=%E0,broken";
  expect(await readVcsAttributes({ OTEL_RESOURCE_ATTRIBUTES }, "/")).toEqual({
    "vcs.repository.url.full": "https://git.example/a,b",
    "vcs.repository.name": "%E0",
    "obspan.run.id": "run-1",
  });
});
