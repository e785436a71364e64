import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { OBSPAN } from "../harness/built-collector.js";
import { startProgram } from "../harness/child-program.js";
import { sharedCollector } from "../harness/shared-collector.js";
import { runProgram, type CommandResult } from "../harness/shell.js";
import { until, within } from "../harness/until.js";

/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:1";
const KEY = "very-secret";

const collector = sharedCollector({ AUTH_API_KEYS: KEY });
/** An app of a user, which is no part of this repository. */
const app = mkdtempSync(join(tmpdir(), "obspan-developer-"));
let url = "";

beforeAll(async () => {
  ({ url } = await collector());
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

interface RunOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

async function obspan(
  args: readonly string[],
  { env = {}, cwd = app }: RunOptions = {},
): Promise<CommandResult> {
  return await runProgram(process.execPath, [OBSPAN, ...args], {
    cwd,
    env: { OBS_PUSH_URL: url, OBS_API_KEY: KEY, ...env },
    timeoutMs: 60_000,
  });
}

interface StoredTrace {
  readonly trace: { readonly service: string; readonly models: readonly string[] };
  readonly spans: readonly { readonly attributes: Record<string, unknown> }[];
}

/** The trace whose link a command has printed. */
async function linkedTrace(stderr: string): Promise<StoredTrace> {
  const id = /\/traces\/([\w-]+)/.exec(stderr)?.[1] ?? "";
  const answer = await fetch(`${url}/v1/traces/${id}`, { headers: { "X-API-Key": KEY } });
  expect(answer.status, stderr).toBe(200);
  return (await answer.json()) as StoredTrace;
}

/** A provider with the protocol of OpenAI. */
async function provider(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      response.setHeader("Content-Type", "application/json");
      response.end(
        JSON.stringify({
          id: "c-1",
          model: "gpt-5-mini",
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello." } }],
          usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
        }),
      );
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("contract 9: obspan run", () => {
  it("records a Node app behind an npm script, returns its exit code and prints the link of its trace", async () => {
    const host = await provider();
    writeFileSync(
      join(app, "package.json"),
      JSON.stringify({ name: "shop", scripts: { ask: "node 'the app.mjs'" } }),
    );
    writeFileSync(
      join(app, "the app.mjs"),
      `const answer = await fetch("http://${host}/v1/chat/completions", {
        method: "POST",
        body: JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content: "Hi" }] }),
      });
      console.log((await answer.json()).choices[0].message.content);
      process.exitCode = 3;`,
    );
    const ran = await obspan(["run", "--service", "shop", "--", "npm", "run", "--silent", "ask"], {
      env: { OBS_PROVIDER_HOSTS: host, OTEL_RESOURCE_ATTRIBUTES: "vcs.repository.name=shop" },
    });
    expect(ran, ran.stderr).toMatchObject({ code: 3, stdout: "Hello.\n" });
    expect(ran.stderr).toMatch(/^obspan: http:\/\/127\.0\.0\.1:\d+\/traces\/\w+ .*OK\n$/);
    const { trace, spans } = await linkedTrace(ran.stderr);
    expect(trace).toMatchObject({ service: "shop", models: ["gpt-5-mini"] });
    expect(spans[0]?.attributes).toMatchObject({
      "vcs.repository.name": "shop",
      "obspan.run.id": expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(ran.stderr).not.toContain(KEY);
  });

  it("gives an app with OpenTelemetry what its exporter reads", async () => {
    writeFileSync(
      join(app, "app.py"),
      `import json, os, urllib.request
from urllib.parse import unquote
pairs = lambda name: [item.split("=", 1) for item in os.environ[name].split(",")]
attributes = pairs("OTEL_RESOURCE_ATTRIBUTES") + [["service.name", os.environ["OTEL_SERVICE_NAME"]]]
span = {"traceId": "ab" * 16, "spanId": "cd" * 8, "name": "chat", "startTimeUnixNano": "1", "endTimeUnixNano": "2",
  "attributes": [{"key": "gen_ai.request.model", "value": {"stringValue": "gpt-5-mini"}}]}
span["startTimeUnixNano"] = span["endTimeUnixNano"] = str(__import__("time").time_ns())
body = {"resourceSpans": [{"resource": {"attributes": [{"key": k, "value": {"stringValue": unquote(v)}} for k, v in attributes]},
  "scopeSpans": [{"spans": [span]}]}]}
headers = {"Content-Type": "application/json", **{k: unquote(v) for k, v in pairs("OTEL_EXPORTER_OTLP_HEADERS")}}
urllib.request.urlopen(urllib.request.Request(os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces",
  json.dumps(body).encode(), headers)).read()
`,
    );
    const ran = await obspan(["run", "--json", "--", "python3", "app.py"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: "" });
    expect(JSON.parse(ran.stderr)).toMatchObject({
      traces: [{ trace_id: "ab".repeat(16), url: `${url}/traces/${"ab".repeat(16)}`, status: "OK" }],
    });
    expect((await linkedTrace(ran.stderr)).trace.service).toMatch(/^obspan-developer-/);
  });

  it("passes signals on, and tells how the command ended", async () => {
    writeFileSync(
      join(app, "waits.mjs"),
      `process.on("SIGTERM", () => process.exit(7));
      console.log("ready");
      setInterval(() => undefined, 1000);`,
    );
    const program = startProgram(
      process.execPath,
      [OBSPAN, "run", "--", process.execPath, join(app, "waits.mjs")],
      {
        OBS_PUSH_URL: NOWHERE,
      },
    );
    await until("the child runs", () => program.stdout().includes("ready") || undefined);
    program.signal("SIGTERM");
    expect((await within("obspan run ends", program.exit, 30_000)).code).toBe(7);
    expect(program.stderr.join("\n")).toMatch(/^obspan: No collector answers/);

    const killed = await obspan(["run", "--", "sh", "-c", "kill -KILL $$"]);
    expect(killed.code).toBe(137);
    expect(killed.stderr).toContain("obspan doctor");
  });

  it("says that a command is missing, not found or not executable", async () => {
    expect((await obspan(["run"])).code).toBe(2);
    expect(await obspan(["run", "--", "no-such-program"])).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('"no-such-program" was not found'),
    });
    const file = join(app, "plain.txt");
    writeFileSync(file, "");
    chmodSync(file, 0o644);
    expect((await obspan(["run", "--", file])).code).toBe(126);
  });
});
