import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommandLine } from "../../src/cli/run-command-line.js";
import { keptOutput } from "./printed.js";

/** Runs a command against a server. */
async function runAgainst(answer: RequestListener, args: readonly string[]) {
  const server = createServer(answer);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const output = keptOutput();
  const code = await runCommandLine([...args, "--url", url], {
    env: {},
    packageDirectory: new URL(".", import.meta.url),
    version: "0.0.0-test",
    output,
  });
  return { code, stdout: output.stdout, stderr: output.stderr };
}

describe("contract 9: answers without an end", () => {
  it.each([
    ["a line", "x"],
    ["data of many lines", "x\ndata: "],
  ])("obspan tail ends at an event that is too long: %s", async (_what, part) => {
    const chunk = part.repeat(100_000);
    let isLeft = false;
    const run = await runAgainst(
      (request, response) => {
        if (!request.url?.startsWith("/v1/live")) {
          response.end('{"traces":[],"next_cursor":null}');
          return;
        }
        response.once("close", () => (isLeft = true));
        response.write("event: trace\ndata: ");
        const send = (): void => {
          while (!isLeft && response.write(chunk));
        };
        response.on("drain", send);
        send();
      },
      ["tail"],
    );
    expect(run).toMatchObject({
      code: 1,
      stderr: "obspan: The live feed has an event of more than 16 MiB: is it a collector?\n",
    });
  });
});
