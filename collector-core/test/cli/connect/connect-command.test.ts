import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CommandContext } from "../../../src/cli/command-context.js";
import { CommandFailure } from "../../../src/cli/command-failure.js";
import { runConnect, type ConnectFlags } from "../../../src/cli/connect/connect-command.js";
import { colours } from "../../../src/cli/output/colours.js";
import type { Output } from "../../../src/cli/output/output.js";
import { RecentAnswers } from "../../../src/cli/recent-answers.js";
import { checkWritable, readSettingsFile, replaceFile } from "../../../src/cli/settings/settings-file.js";
import { Progress } from "../../../src/cli/progress.js";
import { randomRuns } from "../../random-runs.js";

const COLLECTOR = "http://127.0.0.1:8080";

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home directory with files of a user. */
interface Home {
  readonly directory: string;
  readonly project: string;
  path(name: string): string;
  write(name: string, text: string | Buffer): void;
  read(name: string): string;
  /** Every file, with its bytes. */
  files(): Record<string, string>;
  connect(agent: string, flags?: ConnectFlags): Promise<Result>;
  connectWith(env: Record<string, string>, agent: string, flags?: ConnectFlags): Promise<Result>;
}

function home(): Home {
  const directory = mkdtempSync(join(tmpdir(), "obspan-connect-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const project = join(directory, "project");
  mkdirSync(project);
  const path = (name: string): string => join(directory, name);
  const connectWith: Home["connectWith"] = async (env, name, flags = {}) => {
    let stdout = "";
    const output: Output = {
      columns: undefined,
      colours: colours(false),
      isTerminal: false,
      isErrorTerminal: false,
      hasFailed: false,
      print: (text) => void (stdout += text),
      printJson: (value) => void (stdout += `${JSON.stringify(value)}\n`),
      note: () => undefined,
      progress: () => new Progress("", { isTerminal: false, write: () => undefined, nowMs: () => 0 }),
    };
    const context: CommandContext = {
      env,
      packageDirectory: new URL("../../../", import.meta.url),
      version: "1.0.0",
      output,
      answers: new RecentAnswers(),
      action: () => () => Promise.resolve(),
    };
    const place = {
      homeDirectory: directory,
      projectDirectory: project,
      platform: "linux",
      uid: process.getuid?.(),
    } as const;
    try {
      return { code: await runConnect(name, flags, context, place), stdout, stderr: "" };
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      return { code: error.exitCode, stdout, stderr: error.message };
    }
  };
  return {
    directory,
    project,
    path,
    write(name, text) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    read: (name) => readFileSync(path(name), "utf8"),
    files() {
      const names = readdirSync(directory, { recursive: true, withFileTypes: true });
      return Object.fromEntries(
        names
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((file) => [file.slice(directory.length + 1), readFileSync(file, "base64")]),
      );
    },
    connect: (agent, flags) => connectWith({}, agent, flags),
    connectWith,
  };
}

const CLAUDE = '{\r\n  // mine\r\n  "env": {\r\n    "MY_TOKEN": "tok-123" // keep\r\n  }\r\n}\r\n';
const CODEX = 'model = "gpt-5.5" # mine\n\n[otel]\nenvironment = "dev"\n';

describe("contract 9: obspan connect", () => {
  it("shows the change of an agent's settings, and writes nothing without --write", async () => {
    const user = home();
    user.write(".claude/settings.json", CLAUDE);
    const before = user.files();
    const shown = await user.connect("claude-code", { skill: true });
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain("~/.claude/settings.json (changed)");
    expect(shown.stdout).toContain('+    "OTEL_TRACES_EXPORTER": "otlp"');
    expect(shown.stdout).toContain(`+      "url": "${COLLECTOR}/mcp"`);
    expect(shown.stdout).toContain("To write it: obspan connect claude-code --skill --write");
    expect(shown.stdout).not.toContain("tok-123");
    expect(user.files()).toEqual(before);
  });

  it("writes what the guide shows for clients that take an address", async () => {
    const page = new URL("../../../../docs/guide/ask-from-your-agent.md", import.meta.url);
    const [, shown = ""] = /```json\n([^`]*)```/.exec(readFileSync(page, "utf8")) ?? [];
    const user = home();
    expect((await user.connect("cursor", { write: true })).code).toBe(0);
    expect(JSON.parse(user.read(".cursor/mcp.json"))).toEqual(JSON.parse(shown));
  });

  it.each([
    ["claude-code", ".claude/settings.json", CLAUDE],
    ["codex", ".codex/config.toml", CODEX],
    ["gemini", ".gemini/settings.json", '{"ui":{"theme":"x"},}'],
    ["opencode", ".config/opencode/opencode.jsonc", '\uFEFF{\n\t// mine\n\t"mcp": {},\n}'],
    ["cursor", ".cursor/mcp.json", '{ "mcpServers": { "other": { "command": "x" } } }'],
    ["vscode", ".config/Code/User/mcp.json", ""],
  ])("writes the settings of %s, and --undo gives the bytes of before", async (agent, file, text) => {
    const user = home();
    user.write(file, text);
    chmodSync(user.path(file), 0o640);
    const before = user.files();

    const written = await user.connect(agent, { write: true, skill: true, content: true });
    expect(written, written.stderr).toMatchObject({ code: 0, stderr: "" });
    expect(user.read(file)).toContain(COLLECTOR);
    expect(statSync(user.path(file)).mode & 0o777).toBe(0o640);
    expect(user.read(`${file}.obspan-backup`)).toBe(text);
    const skill = Object.keys(user.files()).find((name) => name.endsWith("/skills/obspan/SKILL.md"));
    expect(user.read(skill ?? "")).toContain("Read traces before you guess");

    const again = await user.connect(agent, { write: true, skill: true, content: true });
    expect(again.stdout).toContain("there is nothing to change");
    // Another address replaces what was written.
    const moved = await user.connect(agent, { write: true, content: true, url: "http://127.0.0.1:9999" });
    expect(moved.code, moved.stderr).toBe(0);
    expect(user.read(file)).toContain("http://127.0.0.1:9999/");
    expect(user.read(file)).not.toContain(COLLECTOR);

    const undone = await user.connect(agent, { undo: true });
    expect(undone, undone.stderr).toMatchObject({ code: 0, stderr: "" });
    expect(user.files()).toEqual(before);
    expect(await user.connect(agent, { undo: true })).toMatchObject({ code: 3, stdout: "" });
  });

  it("removes only its own values where others have changed the file since", async () => {
    const user = home();
    user.write(".claude.json", '{"numStartups":1}');
    expect((await user.connect("claude-code", { write: true })).code).toBe(0);
    // As Claude Code does: it writes the whole file again. The user has set one value themselves.
    user.write(
      ".claude.json",
      JSON.stringify({ ...(JSON.parse(user.read(".claude.json")) as object), numStartups: 2 }, null, 2),
    );
    const settings = JSON.parse(user.read(".claude/settings.json")) as { env: Record<string, string> };
    user.write(
      ".claude/settings.json",
      JSON.stringify({ ...settings, env: { ...settings.env, OTEL_TRACES_EXPORTER: "console" } }),
    );
    expect((await user.connect("claude-code", { undo: true })).code).toBe(0);
    expect(JSON.parse(user.read(".claude.json"))).toEqual({ numStartups: 2 });
    expect(JSON.parse(user.read(".claude/settings.json"))).toEqual({
      env: { OTEL_TRACES_EXPORTER: "console" },
    });
    expect(Object.keys(user.files()).sort()).toEqual([".claude.json", ".claude/settings.json"]);
  });

  it("leaves exactly the values of others, whatever they are, after the agent has written its file again", async () => {
    const key = fc.string({ maxLength: 12 }).filter((name) => !["mcpServers", "__proto__"].includes(name));
    // A file cannot say -0.
    const value = fc.jsonValue({ maxDepth: 2 }).map((each): unknown => JSON.parse(JSON.stringify(each)));
    const values = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(values, values, values, async (top, servers, later) => {
        const user = home();
        const { obspan: _, ...others } = servers;
        const before = { ...top, mcpServers: { first: {}, ...others } };
        user.write(".cursor/mcp.json", JSON.stringify(before));
        expect((await user.connect("cursor", { write: true })).code).toBe(0);
        const connected = JSON.parse(user.read(".cursor/mcp.json")) as typeof before;
        user.write(".cursor/mcp.json", JSON.stringify({ ...connected, ...later }, null, 2));
        expect((await user.connect("cursor", { undo: true })).code).toBe(0);
        expect(JSON.parse(user.read(".cursor/mcp.json"))).toEqual({ ...before, ...later });
        rmSync(user.directory, { recursive: true });
      }),
      { numRuns: randomRuns(10) },
    );
  });

  it("leaves values of others as they are: an equal one stays after --undo, another one is refused", async () => {
    const user = home();
    user.write(".claude/settings.json", '{"env":{"CLAUDE_CODE_ENABLE_TELEMETRY":"1"}}');
    expect((await user.connect("claude-code", { write: true })).code).toBe(0);
    user.write(".claude/settings.json", `${user.read(".claude/settings.json")}\n`);
    expect((await user.connect("claude-code", { undo: true })).code).toBe(0);
    expect(JSON.parse(user.read(".claude/settings.json"))).toEqual({
      env: { CLAUDE_CODE_ENABLE_TELEMETRY: "1" },
    });

    user.write(
      ".claude.json",
      '{"mcpServers":{"obspan":{"url":"http://other","headers":{"X":"secret-value"}}}}',
    );
    const before = user.files();
    const refused = await user.connect("claude-code", { write: true });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/\.claude\.json has another value at mcpServers\.obspan/);
    expect(refused.stderr).not.toContain("secret-value");
    // Neither was the other file of the agent written.
    expect(user.files()).toEqual(before);
  });

  it("never writes the key, and names its variable in the words of each agent", async () => {
    const user = home();
    const names: Record<string, string> = {
      "claude-code": '"X-API-Key": "${OBS_API_KEY:-}"',
      codex: 'env_http_headers = { X-API-Key = "OBS_API_KEY" }',
      gemini: '"X-API-Key": "$OBS_API_KEY"',
      opencode: '"X-API-Key": "{env:OBS_API_KEY}"',
      cursor: '"X-API-Key": "${env:OBS_API_KEY}"',
      vscode: '"X-API-Key": "${env:OBS_API_KEY}"',
    };
    for (const [agent, name] of Object.entries(names)) {
      const { stdout } = await user.connectWith({ OBS_API_KEY: "very-secret" }, agent, { write: true });
      expect(stdout).toContain(name);
      expect(stdout).not.toContain("very-secret");
    }
    expect(
      JSON.stringify(Object.values(user.files()).map((bytes) => Buffer.from(bytes, "base64").toString())),
    ).not.toContain("very-secret");
    // Codex takes the key of telemetry as text only.
    expect(user.read(".codex/config.toml")).not.toContain("trace_exporter");
  });

  it("turns content on only with --content", async () => {
    const user = home();
    for (const agent of ["claude-code", "gemini", "opencode"]) await user.connect(agent, { write: true });
    // A new file of the user is theirs alone: the agent may write its secrets into it.
    expect(statSync(user.path(".claude/settings.json")).mode & 0o777).toBe(0o600);
    expect(user.read(".claude/settings.json")).not.toContain("OTEL_LOG_");
    expect(user.read(".gemini/settings.json")).toContain('"logPrompts": false');
    expect(user.read(".config/opencode/opencode.json")).not.toContain("openTelemetry");
    for (const agent of ["claude-code", "gemini", "opencode"])
      await user.connect(agent, { write: true, content: true });
    expect(user.read(".claude/settings.json")).toContain('"OTEL_LOG_USER_PROMPTS": "1"');
    expect(user.read(".gemini/settings.json")).toContain('"logPrompts": true');
    expect(user.read(".config/opencode/opencode.json")).toContain('"openTelemetry": true');
  });

  it("connects a project, which is undone on its own", async () => {
    const user = home();
    for (const agent of ["claude-code", "codex", "cursor", "vscode"]) {
      await user.connect(agent, { write: true });
      const { code, stdout } = await user.connect(agent, {
        project: true,
        write: true,
        skill: true,
        json: true,
      });
      expect(code).toBe(0);
      const { files } = JSON.parse(stdout) as { files: { path: string; change: string }[] };
      for (const { path, change } of files)
        expect([dirname(path).startsWith(user.project), change]).toEqual([true, "new"]);
    }
    expect(readdirSync(user.project).sort()).toEqual([
      ".agents",
      ".claude",
      ".codex",
      ".cursor",
      ".github",
      ".mcp.json",
      ".vscode",
    ]);
    // Codex ignores the telemetry settings of a project.
    expect(user.read("project/.codex/config.toml")).not.toContain("otel");
    for (const agent of ["claude-code", "codex", "cursor", "vscode"])
      expect((await user.connect(agent, { project: true, undo: true })).code).toBe(0);
    expect(readdirSync(user.project)).toEqual([]);
    expect(existsSync(user.path(".cursor/mcp.json"))).toBe(true);
  });

  it("refuses files that it must not change, with the reason, and changes nothing", async () => {
    const user = home();
    const elsewhere = mkdtempSync(join(tmpdir(), "obspan-elsewhere-"));
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
    writeFileSync(join(elsewhere, "mcp.json"), "{}");
    const file = user.path(".cursor/mcp.json");
    const cases: readonly (readonly [() => void, RegExp])[] = [
      [() => user.write(".cursor/mcp.json", '{"a":1 "b"'), /line 1 is not valid JSON/],
      [() => user.write(".cursor/mcp.json", "[]"), /not a JSON object/],
      [() => user.write(".cursor/mcp.json", '{"a":'.repeat(50_000)), /nested too deep/],
      [() => user.write(".cursor/mcp.json", '{"mcpServers":[]}'), /mcpServers is no object/],
      [() => user.write(".cursor/mcp.json", Buffer.from([0x7b, 0xff, 0x7d])), /is not UTF-8/],
      [
        () => {
          user.write(".cursor/mcp.json", "{}");
          truncateSync(file, 10 * 2 ** 20);
        },
        /10485760 bytes/,
      ],
      [
        () => {
          user.write(".cursor/mcp.json", "{}");
          chmodSync(file, 0o444);
        },
        /is read-only/,
      ],
      [() => mkdirSync(file), /is not a file/],
      [() => symlinkSync(join(elsewhere, "mcp.json"), file), /outside of your home/],
      [() => symlinkSync(user.path("nothing"), file), /does not exist/],
      [
        () => {
          rmSync(dirname(file), { recursive: true });
          symlinkSync(elsewhere, dirname(file));
        },
        /outside of your home/,
      ],
    ];
    for (const [prepare, reason] of cases) {
      rmSync(file, { recursive: true, force: true });
      mkdirSync(dirname(file), { recursive: true });
      prepare();
      const before = user.files();
      const refused = await user.connect("cursor", { write: true });
      expect(refused.stderr).toMatch(reason);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(user.files()).toEqual(before);
    }
    expect(readFileSync(join(elsewhere, "mcp.json"), "utf8")).toBe("{}");

    user.write(".codex/config.toml", `a = ${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const before = user.files();
    const refused = await user.connect("codex", { write: true });
    expect(refused.stderr).toMatch(
      /config\.toml: it is nested too deep, or too long\. Nothing was changed\./,
    );
    expect(user.files()).toEqual(before);
  });

  it("refuses a file that changes meanwhile, one of another user, and a damaged list of what was written", async () => {
    const user = home();
    user.write(".cursor/mcp.json", "{}");
    const file = await readSettingsFile(user.path(".cursor/mcp.json"), [user.directory]);
    user.write(".cursor/mcp.json", '{"other":1}');
    await expect(replaceFile(file, Buffer.from("{}"))).rejects.toThrow("was changed by another program");
    expect(() => checkWritable(file, 12_345)).toThrow("belongs to another user");
    expect(user.read(".cursor/mcp.json")).toBe('{"other":1}');
    expect(Object.keys(user.files())).toEqual([".cursor/mcp.json"]);

    user.write(".config/obspan/connections.json", '{"connections":[{}]}');
    const refused = await user.connect("cursor", { write: true });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("is damaged") });
    expect(user.read(".cursor/mcp.json")).toBe('{"other":1}');
  });

  it("edits the file that a link within the home directory leads to", async () => {
    const user = home();
    user.write("dotfiles/mcp.json", "{}");
    mkdirSync(user.path(".cursor"));
    symlinkSync("../dotfiles/mcp.json", user.path(".cursor/mcp.json"));
    expect((await user.connect("cursor", { write: true })).code).toBe(0);
    expect(user.read("dotfiles/mcp.json")).toContain("obspan");
    expect(user.read(".cursor/mcp.json")).toContain("obspan");
    expect((await user.connect("cursor", { undo: true })).code).toBe(0);
    expect(user.read("dotfiles/mcp.json")).toBe("{}");
  });
});
