import { Argument, type Command } from "commander";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../command-failure.js";
import { commandTree } from "./command-tree.js";
import { INSTALLATION, SCRIPTS } from "./completion-scripts.js";

/** `obspan completion <shell>`. Every other command is registered with its options when this one is called. */
export function configure(command: Command, { action, output }: CommandContext): void {
  const installation = [...INSTALLATION.values()].map((line) => `  ${line}`).join("\n");
  command
    .addArgument(new Argument("<shell>", "the shell").choices([...SCRIPTS.keys()]))
    .addHelpText("after", `\nPrints a script. To use it from the next shell on:\n${installation}`)
    .action(
      action((shell: string) => {
        const script = SCRIPTS.get(shell);
        output.print(script?.(commandTree(command.parent ?? command)) ?? "");
        return EXIT.ok;
      }),
    );
}
