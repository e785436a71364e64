import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const SDK = new URL("../../dist/index.js", import.meta.url).href;
/** A self-signed certificate for localhost, only for this test. */
const CERTIFICATE = new URL("./localhost-cert.pem", import.meta.url);
const KEY = new URL("./localhost-key.pem", import.meta.url);

async function runAgainstHttps(environment: Record<string, string>) {
  const received: { path: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer(
    { cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) },
    (request, response) => {
      received.push({ path: request.url, authorization: request.headers.authorization });
      request.resume().on("end", () => response.writeHead(202).end("{}"));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const program = `
    import { configure, observe, flush, stats } from ${JSON.stringify(SDK)};
    configure({ pushUrl: "https://me:pass%20word@localhost:${port}/obs", maxRetries: 0 });
    for (let round = 0; round < 2; round++) { observe("s", () => 1); await flush(); }
    console.log(JSON.stringify(stats()));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, ...environment },
  });
  let output = "";
  let warnings = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (warnings += String(chunk)));
  await once(child, "close");
  return {
    received,
    warnings,
    stats: JSON.parse(output) as { acked: number; dropped: Record<string, number> },
  };
}

it("sends over HTTPS with the credentials of the URL, and shows them in no message", async () => {
  const { received, stats, warnings } = await runAgainstHttps({
    NODE_EXTRA_CA_CERTS: fileURLToPath(CERTIFICATE),
  });
  const authorization = `Basic ${Buffer.from("me:pass word").toString("base64")}`;
  expect(received).toEqual(Array.from({ length: 2 }, () => ({ path: "/obs/v1/telemetry", authorization })));
  expect([stats.acked, warnings]).toEqual([2, ""]);
});

it("sends nothing to a server whose certificate is not trusted", async () => {
  const { received, stats, warnings } = await runAgainstHttps({});
  expect(received).toEqual([]);
  expect(stats.dropped).toMatchObject({ retries_exhausted: 2 });
  expect(warnings).toContain("DEPTH_ZERO_SELF_SIGNED_CERT");
  expect(warnings).not.toContain("pass");
});
