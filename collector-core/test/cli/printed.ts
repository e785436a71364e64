import { colours } from "../../src/cli/output/colours.js";
import type { Output } from "../../src/cli/output/output.js";
import { Progress } from "../../src/cli/progress.js";

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
    progress: (task: string) =>
      new Progress(task, { isTerminal: false, write: () => undefined, nowMs: () => 0 }),
  };
  return output;
}
