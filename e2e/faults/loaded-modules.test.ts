import { expect, it, onTestFinished } from "vitest";
import { killProgram, OBSPAN } from "../harness/built-collector.js";
import { startProgram } from "../harness/child-program.js";
import { until } from "../harness/until.js";

/** Logs the origin of every loaded module. */
const HOOK = `export async function load(url, context, next) {
  if (url.includes("/bundle/")) process._rawDebug("loads bundle/" + url.split("/").at(-1));
  if (url.includes("/node_modules/")) process._rawDebug("loads " + url.split("/node_modules/").at(-1));
  return next(url, context);
}`;
const REGISTER = `import { register } from "node:module"; register(${JSON.stringify(dataUrl(HOOK))});`;

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** The packages, and the files of the bundle, loaded by a collector when it listens. */
async function packagesOf(settings: Record<string, string>): Promise<Set<string>> {
  const program = startProgram(process.execPath, ["--import", dataUrl(REGISTER), OBSPAN, "serve"], {
    OBS_SERVER_HOST: "127.0.0.1",
    OBS_SERVER_PORT: "0",
    ...settings,
  });
  onTestFinished(() => killProgram(program));
  await until("it listens", () => program.stderr.find((line) => line.includes("Listening on")), 30_000);
  return new Set(
    program.stderr.flatMap((line) => /^loads (bundle\/.*|(?:@[^/]+\/)?[^/]+)/.exec(line)?.[1] ?? []),
  );
}

const JUDGES = ["ai", "@ai-sdk/openai", "@ai-sdk/anthropic", "@aws-sdk/credential-provider-node"];

it("loads the judge only when evaluation is on, only the provider in use, and neither Redis, ClickHouse nor a server of MCP", async () => {
  const off = await packagesOf({});
  for (const name of JUDGES) expect(off).not.toContain(name);
  // The tools for coding agents are loaded with the first request to /mcp.
  expect(off).toContain("bundle/serve.js");
  expect(off).not.toContain("bundle/mcp-server.js");
  expect(off).not.toContain("bundle/redis-queue.js");
  expect(off).not.toContain("bundle/clickhouse-trace-store.js");

  const on = await packagesOf({
    OBS_SERVER_EVALUATION_ENABLED: "true",
    OBS_SERVER_EVALUATION_JUDGE_API_KEY: "sk-judge",
  });
  expect(on).toContain("ai");
  expect(on).toContain("@ai-sdk/openai");
  expect(on).not.toContain("@ai-sdk/anthropic");
  expect(on).not.toContain("@aws-sdk/credential-provider-node");
});
