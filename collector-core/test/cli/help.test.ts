import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { widthOf } from "../../src/cli/output/width.js";
import { runCommandLine } from "../../src/cli/run-command-line.js";
import { keptOutput } from "./printed.js";

const COLUMNS = 80;

/** What a command prints, and its exit code. */
async function printed(args: readonly string[], env: Record<string, string> = {}) {
  const output = keptOutput(COLUMNS);
  const packageDirectory = new URL("../../", import.meta.url);
  const code = await runCommandLine(args, { output, env, version: "1", packageDirectory });
  return { code, stdout: output.stdout, stderr: output.stderr };
}

describe("contract 9: the help", () => {
  it.each(COMMANDS.map(({ name }) => name))(
    "of %s says what it takes, and fits the terminal",
    async (name) => {
      const { code, stdout, stderr } = await printed([name, "--help"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(new RegExp(`^Usage: obspan ${name} `));
      for (const line of stdout.split("\n")) expect(widthOf(line), line).toBeLessThanOrEqual(COLUMNS);
    },
  );

  it.each(COMMANDS.map(({ name }) => name))("of %s is named after a wrong option", async (name) => {
    const { code, stdout, stderr } = await printed([name, "--no-such-option"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^obspan: (unknown option|required option)/);
    expect(stderr).toContain(`obspan ${name} --help`);
  });
});

/** Commands that ask no collector at an address. */
const LOCAL = ["serve", "check-config", "store", "completion", "version"];
const ASKING = COMMANDS.map(({ name }) => name).filter((name) => !LOCAL.includes(name));

describe("contract 9: a command that asks a collector", () => {
  // What obspan mcp prints is the protocol.
  it.each(ASKING.filter((name) => name !== "mcp"))("has --json: %s", async (name) => {
    const { stdout } = await printed([name, "--help"]);
    expect(stdout).toContain("--url <url>");
    expect(stdout).toContain("--json");
  });

  const directory = mkdtempSync(join(tmpdir(), "obspan-commands-"));
  const config = join(directory, "broken.yaml");
  writeFileSync(config, "server: [");
  writeFileSync(join(directory, "spans.json"), '{"spans":[{"trace_id":"t","name":"a"}]}\n');
  afterAll(() => rmSync(directory, { recursive: true }));
  const env = { OBS_SERVER_CONFIG: config, OBS_PUSH_URL: "http://127.0.0.1:1", HOME: directory };

  it.each([
    ["tail"],
    ["traces"],
    ["trace", "latest"],
    ["sessions"],
    ["errors"],
    ["stats"],
    ["open"],
    ["eval", "--query", "name:a", "--expect", "error_rate<0.5"],
    ["send", join(directory, "spans.json")],
    ["import", join(directory, "spans.json")],
    ["share", "latest"],
    ["export", "-o", join(directory, "file.jsonl")],
    ["doctor"],
  ])("does not read the configuration of the server: %s", async (...args) => {
    vi.stubEnv("OBS_SERVER_CONFIG", config);
    const { code, stdout, stderr } = await printed(args, env);
    expect(stdout + stderr).not.toContain("broken.yaml");
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.any(String) });
  });

  it("is none of those that do", async () => {
    vi.stubEnv("OBS_SERVER_CONFIG", config);
    const { code, stdout, stderr } = await printed(["check-config"], env);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("broken.yaml");
  });
});
