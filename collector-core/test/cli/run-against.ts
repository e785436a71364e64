import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { runCommandLine } from "../../src/cli/run-command-line.js";
import { keptOutput } from "./printed.js";

/** Runs a command against a server, whose address it gets before the words after `--`. */
export async function runAgainst(answer: RequestListener, args: readonly string[]) {
  const server = createServer(answer);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const output = keptOutput();
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const code = await runCommandLine([...args.slice(0, end), "--url", url, ...args.slice(end)], {
    env: {},
    packageDirectory: new URL(".", import.meta.url),
    version: "0.0.0-test",
    output,
  });
  return { code, url, stdout: output.stdout, stderr: output.stderr };
}
