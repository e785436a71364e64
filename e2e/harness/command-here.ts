import { createOutput } from "../../collector-core/dist/cli/output/output.js";
import { runCommandLine } from "../../collector-core/dist/cli/run-command-line.js";
import { inherited } from "./child-program.js";
import type { CommandResult } from "./shell.js";

const PACKAGE = new URL("../../collector-core/", import.meta.url);

/**
 * Runs a command line of `obspan` that reads no stdin in this process, where it starts in a tenth of the processor time. Its
 * output is that of a pipe.
 */
export async function runCommandHere(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const env = { ...inherited(), ...variables };
  let stdout = "";
  let stderr = "";
  const output = createOutput(env, {
    write(text) {
      stdout += text;
      return undefined;
    },
    note: (text) => void (stderr += text),
  });
  const code = await runCommandLine(args, { env, packageDirectory: PACKAGE, version: "0.0.0-test", output });
  return { code, stdout, stderr };
}
