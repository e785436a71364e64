import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { childEnvironment, type ChildEnvironmentOptions } from "../../../src/cli/run/child-environment.js";
import { findRegister } from "../../../src/cli/run/find-register.js";
import { readGitState } from "../../../src/cli/run/git-state.js";

const URL_OF_COLLECTOR = "http://127.0.0.1:8080";
const REGISTER = "file:///app/node_modules/@obspan/sdk/dist/register.cjs";

function variables(
  env: Record<string, string>,
  options: Partial<ChildEnvironmentOptions> = {},
): Record<string, string> {
  return childEnvironment({
    env,
    platform: "linux",
    url: URL_OF_COLLECTOR,
    isUrlGiven: false,
    service: undefined,
    defaultService: "shop",
    runId: "run-1",
    git: { branch: "feature/a,b", revision: "c".repeat(40), repositoryName: "shop" },
    registerUrl: REGISTER,
    ...options,
  });
}

function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "obspan-run-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe("the environment of a command under obspan run", () => {
  it("sends traces to the collector, and says which repository, branch and commit ran", () => {
    expect(variables({ HOME: "/home/user" })).toEqual({
      HOME: "/home/user",
      OBS_PUSH_URL: URL_OF_COLLECTOR,
      OBS_SERVICE: "shop",
      OTEL_SERVICE_NAME: "shop",
      OTEL_RESOURCE_ATTRIBUTES: `vcs.repository.name=shop,vcs.ref.head.name=feature%2Fa%2Cb,vcs.ref.head.revision=${"c".repeat(40)},obspan.run.id=run-1`,
      OTEL_EXPORTER_OTLP_ENDPOINT: URL_OF_COLLECTOR,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none",
      NODE_OPTIONS: `--import ${REGISTER}`,
    });
  });

  it("keeps every variable of the user, adds to lists, and takes an empty one as not set", () => {
    const env = {
      OBS_PUSH_URL: "http://user-collector",
      OTEL_SERVICE_NAME: "mine",
      OTEL_RESOURCE_ATTRIBUTES: "team=a,vcs.ref.head.name=main,obspan.run.id=outer",
      OTEL_TRACES_EXPORTER: "console",
      OTEL_METRICS_EXPORTER: "",
      NODE_OPTIONS: "--max-old-space-size=4096",
    };
    expect(variables(env, { git: { branch: "other" } })).toMatchObject({
      OBS_PUSH_URL: "http://user-collector",
      OBS_SERVICE: "mine",
      OTEL_SERVICE_NAME: "mine",
      OTEL_RESOURCE_ATTRIBUTES: "team=a,vcs.ref.head.name=main,obspan.run.id=run-1",
      OTEL_TRACES_EXPORTER: "console",
      OTEL_METRICS_EXPORTER: "none",
      NODE_OPTIONS: `--max-old-space-size=4096 --import ${REGISTER}`,
    });
    expect(variables({ OTEL_RESOURCE_ATTRIBUTES: "service.name=mine" })).not.toHaveProperty(
      "OTEL_SERVICE_NAME",
    );
    // What the command line names wins.
    expect(variables(env, { isUrlGiven: true, service: "given" })).toMatchObject({
      OBS_PUSH_URL: URL_OF_COLLECTOR,
      OBS_SERVICE: "given",
      OTEL_SERVICE_NAME: "given",
    });
  });

  it("sends the key to the collector alone", () => {
    const OBS_API_KEY = "s=e,c";
    expect(variables({ OBS_API_KEY }).OTEL_EXPORTER_OTLP_HEADERS).toBe("x-api-key=s%3De%2Cc");
    for (const name of ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]) {
      const elsewhere = variables({ OBS_API_KEY, [name]: "http://vendor" });
      expect(elsewhere[name]).toBe("http://vendor");
      expect(
        Object.entries(elsewhere).filter(
          ([key, value]) => key !== "OBS_API_KEY" && /s(?:=|%3D)e/.test(value),
        ),
      ).toEqual([]);
    }
    const metrics = variables({ OBS_API_KEY, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://vendor" });
    expect(metrics.OTEL_EXPORTER_OTLP_HEADERS).toBeUndefined();
    expect(metrics.OTEL_EXPORTER_OTLP_TRACES_HEADERS).toBe("x-api-key=s%3De%2Cc");
    const own = { OBS_API_KEY, OTEL_EXPORTER_OTLP_HEADERS: "a=b" };
    expect(variables(own).OTEL_EXPORTER_OTLP_HEADERS).toBe("a=b");
  });

  it("hooks a command within a command once", () => {
    const { NODE_OPTIONS } = variables({});
    expect(
      variables({ NODE_OPTIONS: NODE_OPTIONS ?? "" }, { registerUrl: "file:///other/sdk/dist/register.cjs" }),
    ).toMatchObject({ NODE_OPTIONS });
    expect(variables({}, { registerUrl: undefined })).not.toHaveProperty("NODE_OPTIONS");
  });

  it("knows that names have no letter case on Windows", () => {
    const windows = variables(
      { Node_Options: "--trace-warnings", otel_service_name: "mine" },
      { platform: "win32" },
    );
    expect(windows).toMatchObject({
      Node_Options: `--trace-warnings --import ${REGISTER}`,
      OBS_SERVICE: "mine",
    });
    expect(
      Object.keys(windows).filter((name) => /^(?:node_options|otel_service_name)$/i.test(name)),
    ).toHaveLength(2);
  });
});

describe("the files of git", () => {
  it("name repository, branch and commit, in a directory below and in a worktree, without credentials", () => {
    const directory = temporaryDirectory();
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: directory,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    git("init", "--initial-branch", "main");
    git("commit", "--allow-empty", "--message", "first");
    git("remote", "add", "other", "https://other.example/x/y.git");
    git("remote", "add", "origin", "https://me:token-123@git.example:8443/team/shop.git");
    const below = join(directory, "apps/web");
    mkdirSync(below, { recursive: true });
    const state = {
      repositoryName: "shop",
      repositoryUrl: "https://git.example:8443/team/shop",
      branch: "main",
      revision: git("rev-parse", "HEAD"),
    };
    expect(readGitState(below)).toEqual(state);
    git("pack-refs", "--all");
    const packed = join(directory, ".git/packed-refs");
    const refs = readFileSync(packed, "utf8");
    writeFileSync(packed, "# many refs\n".repeat(100_000) + refs);
    expect(readGitState(directory)).toEqual(state);
    writeFileSync(packed, refs);
    git("worktree", "add", "-b", "feature", join(directory, "tree"));
    expect(readGitState(join(directory, "tree"))).toEqual({ ...state, branch: "feature" });
    git("checkout", "--detach");
    expect(readGitState(directory)).toEqual({ ...state, branch: undefined });

    for (const [remote, url] of [
      ["git@github.com:team/shop.git", "https://github.com/team/shop"],
      ["ssh://git@git.example:2222/team/shop", "https://git.example/team/shop"],
      ["/srv/git/shop.git", undefined],
      ["C:\\git\\shop", undefined],
      ["file:///srv/shop", undefined],
    ]) {
      git("remote", "set-url", "origin", remote ?? "");
      expect(readGitState(directory).repositoryUrl).toBe(url);
    }
  });

  it("are not needed", () => {
    const directory = temporaryDirectory();
    expect(readGitState(directory)).toEqual({});
    writeFileSync(join(directory, ".git"), "gitdir: /nowhere\n");
    expect(readGitState(directory)).toEqual({});
  });
});

describe("the file that hooks a Node app", () => {
  it("is that of the app, else the one beside the command", () => {
    const directory = temporaryDirectory();
    const packageDirectory = new URL("../../../", import.meta.url);
    expect(findRegister(directory, packageDirectory)).toMatch(/^file:\/\/\/.*\/sdk\/dist\/register\.cjs$/);
    const sdk = join(directory, "node_modules/@obspan/sdk");
    mkdirSync(sdk, { recursive: true });
    writeFileSync(
      join(sdk, "package.json"),
      JSON.stringify({ name: "@obspan/sdk", exports: { "./register": "./a b.cjs" } }),
    );
    writeFileSync(join(sdk, "a b.cjs"), "");
    expect(findRegister(join(directory, "apps"), packageDirectory)).toBe(
      pathToFileURL(join(sdk, "a b.cjs")).href,
    );
    expect(findRegister(join(directory, "apps"), packageDirectory)).not.toContain(" ");
    expect(findRegister("/", pathToFileURL("/nowhere/"))).toBeUndefined();
  });
});
