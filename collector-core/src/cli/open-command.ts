import { spawn } from "node:child_process";
import type { Command } from "commander";
import type { TraceDetail } from "../api-schema/trace.js";
import type { CollectorClient } from "./collector-client.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "./collector-options.js";
import type { CommandContext } from "./command-context.js";
import { CommandFailure, EXIT } from "./command-failure.js";
import { findTraceId, TRACE_ID } from "./find-trace.js";
import { traceAddress } from "./trace-address.js";

interface OpenFlags extends CollectorFlags {
  readonly print?: boolean;
}

/** `obspan open [trace]`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(command.argument("[trace]", `${TRACE_ID}; default: the list`))
    .option("--print", "print the address instead of opening it")
    .addHelpText(
      "after",
      "\nThe program is BROWSER, else that of the system. Exit code 3: there is no such trace.",
    )
    .action(
      context.action(async (text: string | undefined, flags: OpenFlags) => {
        const client = collectorOf(flags, context);
        const { output, env } = context;
        if (!(await client.isThere()))
          throw new CommandFailure(`No collector answers at ${client.url}. \`obspan doctor\` says why.`, {
            exitCode: EXIT.away,
          });
        const address = await addressOf(client, text, flags.tenant);
        if (flags.json === true) output.printJson({ url: address });
        else output.print(`${address}\n`);
        if (flags.print !== true && flags.json !== true) await open(address, process.platform, env);
        return EXIT.ok;
      }),
    );
}

/** @throws CommandFailure for an unknown trace: it is a failure here, not a page that says so. */
async function addressOf(
  client: CollectorClient,
  text: string | undefined,
  tenant: string | undefined,
): Promise<string> {
  if (text === undefined)
    return `${client.url}/${tenant === undefined ? "" : `?tenant=${encodeURIComponent(tenant)}`}`;
  const id = await findTraceId(client, text);
  await client.get<TraceDetail>("/v1/trace", "trace", { trace_id: id });
  return traceAddress(client.url, id, tenant);
}

/** The program that opens an address, without a shell. */
function opener(
  platform: NodeJS.Platform,
  env: CommandContext["env"],
): { readonly program: string; readonly args: readonly string[] } {
  const browser = env["BROWSER"];
  if (browser) return { program: browser, args: [] };
  if (platform === "darwin") return { program: "open", args: [] };
  if (platform === "win32") return { program: "rundll32", args: ["url.dll,FileProtocolHandler"] };
  return { program: "xdg-open", args: [] };
}

async function open(address: string, platform: NodeJS.Platform, env: CommandContext["env"]): Promise<void> {
  const { program, args } = opener(platform, env);
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
  child.unref();
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", () =>
      reject(new CommandFailure(`${program} cannot be started: open the address yourself, or set BROWSER.`)),
    );
  });
}
