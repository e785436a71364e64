import { expect } from "vitest";
import { colours } from "../../src/cli/output/colours.js";
import type { Output } from "../../src/cli/output/output.js";

/** An output that keeps what is printed, of a terminal without colours. */
export function keptOutput(columns: number | undefined = 80): Output & { stdout: string; stderr: string } {
  const output = {
    stdout: "",
    stderr: "",
    columns,
    isTerminal: true,
    colours: colours(false),
    isErrorTerminal: true,
    hasFailed: false,
    print: (text: string) => void (output.stdout += text),
    printJson: (value: unknown) => void (output.stdout += `${JSON.stringify(value)}\n`),
    note: (text: string) => void (output.stderr += text),
    progress: () => expect.fail("There is no progress."),
  };
  return output;
}
