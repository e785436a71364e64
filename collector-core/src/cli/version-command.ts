import type { Command } from "commander";
import type { CommandContext } from "./command-context.js";

/** `obspan version`. */
export function configure(command: Command, { output, version, action }: CommandContext): void {
  command.action(
    action(() => {
      output.print(`obspan ${version} (Node.js ${process.version})\n`);
      return 0;
    }),
  );
}
