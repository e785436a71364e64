import type { Command } from "commander";
import { collectorOf } from "../collector-options.js";
import { URL_OPTION } from "../collector-url.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../command-failure.js";
import { readMessageLines } from "./message-lines.js";
import { createStdioBridge } from "./stdio-bridge.js";

const HELP = `
A client starts this command by itself, for example: claude mcp add obspan -- obspan mcp
Each message goes to POST /mcp of a running collector, which has the tools: one version of them, whoever asks. The key is
OBS_API_KEY. A client that speaks HTTP can use the address of the collector with /mcp at its end instead.`;

/** `obspan mcp`. */
export function configure(command: Command, context: CommandContext): void {
  command
    .option(...URL_OPTION)
    .option("--tenant <tenant>", "tenant, where the collector has several")
    .addHelpText("after", HELP)
    .action(
      context.action(async (flags: { readonly url?: string; readonly tenant?: string }) => {
        const bridge = createStdioBridge(collectorOf(flags, context), (answer) =>
          context.output.print(`${answer}\n`),
        );
        const passed = async (): Promise<void> => {
          await readMessageLines(process.stdin, (line) => bridge.receive(line));
          await bridge.settled();
        };
        try {
          await Promise.race([passed(), bridge.failed]);
        } finally {
          // An open stdin would keep the command running after its client has gone.
          process.stdin.destroy();
        }
        return EXIT.ok;
      }),
    );
}
