import { spawn } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Receiver } from "../export/receiver.js";
import { packApp, type PackedApp } from "../package/packed-app.js";
import type { TakenSpan } from "./taken-spans.js";

const LIBRARIES = join(import.meta.dirname, "node_modules");

/** What an app has done in a process of its own. */
export interface Run {
  readonly spans: TakenSpan[];
  readonly stdout: string;
  readonly stderr: string;
}

/** An app with the packed SDK and the client libraries, which runs with `@obspan/sdk/register`. */
export interface RegisteredApp extends PackedApp {
  /**
   * Runs Node with these arguments. Its spans are those that a collector has received when the process has ended, in the
   * order of their start.
   */
  run(args: readonly string[], env?: Readonly<Record<string, string | undefined>>): Promise<Run>;
}

/** Packs the SDK, and links the libraries. Other tests can write packages of their own beside them. */
export function packRegisteredApp(): RegisteredApp {
  const app = packApp();
  const modules = join(app.directory, "node_modules");
  for (const name of readdirSync(LIBRARIES).filter((entry) => !entry.startsWith("."))) {
    const folder = join(LIBRARIES, name);
    if (!name.startsWith("@")) symlinkSync(folder, join(modules, name));
    else if (lstatSync(folder).isDirectory()) {
      mkdirSync(join(modules, name), { recursive: true });
      for (const inner of readdirSync(folder)) symlinkSync(join(folder, inner), join(modules, name, inner));
    }
  }
  return {
    ...app,
    async run(args, env = {}) {
      const receiver = new Receiver();
      await receiver.start();
      try {
        const output = await execute(args, app.directory, {
          ...process.env,
          OBS_PUSH_URL: receiver.url,
          OBS_SERVICE: "registered",
          ...env,
        });
        const spans = receiver.requests
          .flatMap(({ batch }) => batch.spans)
          .map((span) => ({ ...span, attributes: span.attributes ?? {} }))
          .sort((a, b) => Number(a.start_time) - Number(b.start_time));
        return { ...output, spans };
      } finally {
        await receiver.stop();
      }
    },
  };
}

/** @throws Error with the output of a process that fails. */
async function execute(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`The app ended with ${String(code)}: ${stderr}`);
  return { stdout, stderr };
}
