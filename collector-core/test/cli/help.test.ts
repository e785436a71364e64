import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { colours } from "../../src/cli/output/colours.js";
import type { Output } from "../../src/cli/output/output.js";
import { widthOf } from "../../src/cli/output/width.js";
import { runCommandLine } from "../../src/cli/run-command-line.js";

const COLUMNS = 80;

/** What a command prints, and its exit code. */
async function printed(args: readonly string[]) {
  let stdout = "";
  let stderr = "";
  const output: Output = {
    columns: COLUMNS,
    isTerminal: true,
    colours: colours(false),
    isErrorTerminal: true,
    hasFailed: false,
    print: (text) => void (stdout += text),
    printJson: () => undefined,
    note: (text) => void (stderr += text),
    progress: () => expect.fail("A help has no progress."),
  };
  const code = await runCommandLine(args, {
    output,
    env: {},
    version: "1",
    packageDirectory: new URL("file:///"),
  });
  return { code, stdout, stderr };
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
