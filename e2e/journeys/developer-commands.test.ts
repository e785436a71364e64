import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { OBSPAN } from "../harness/built-collector.js";
import { startProgram } from "../harness/child-program.js";
import { guideShellLines } from "../harness/guide-snippet.js";
import { ledgerAtRest } from "../harness/ledger.js";
import { sharedCollector } from "../harness/shared-collector.js";
import { runProgram, type CommandResult } from "../harness/shell.js";
import { until, within } from "../harness/until.js";

/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:1";
const KEY = "very-secret";
/** No command but those of a server reads its configuration. */
const NO_CONFIG = "/no-such-directory/obspan.yaml";
const SKILL = new URL("../../collector-core/skills/obspan/SKILL.md", import.meta.url);

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
    env: { OBS_SERVER_CONFIG: NO_CONFIG, OBS_PUSH_URL: url, OBS_API_KEY: KEY, ...env },
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

async function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<number> {
  const { status } = await fetch(url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": KEY, ...headers },
    body: JSON.stringify(body),
  });
  return status;
}

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly remedy?: string;
}

function findingsOf({ stdout }: CommandResult): Finding[] {
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Finding]));
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
    expect(await obspan(["run", "--", join(file, "program")])).toMatchObject({
      code: 126,
      stderr: expect.stringMatching(/cannot be started: ENOTDIR\.\n$/),
    });
  });
});

describe("contract 9: obspan doctor", () => {
  it("finds nothing wrong with a collector that gets traces, and looks at the app here", async () => {
    const start_time = new Date().toISOString();
    const spans = [{ name: "chat", trace_id: "doctor-1", start_time, duration_ms: 5 }];
    expect(await send("/v1/telemetry", { service: "shop", spans })).toBe(202);
    await ledgerAtRest(url);
    writeFileSync(join(app, "package.json"), JSON.stringify({ dependencies: { "@obspan/sdk": "1" } }));
    const ran = await obspan(["doctor"]);
    expect(ran.stdout).toMatch(
      /^ok {7}A collector answers at http:\/\/127\.0\.0\.1:\d+: version [\d.]+, up /,
    );
    expect(ran.stdout).toContain("It accepts spans with the key in OBS_API_KEY.");
    expect(ran.stdout).toMatch(/ok {7}The newest trace began .* of service shop\./);
    expect(ran.stdout).toContain(
      "problem  @obspan/sdk is in package.json, and not installed.\n         → Run npm install.",
    );
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(ran.stdout).not.toContain(KEY);
    rmSync(join(app, "package.json"));
    expect((await obspan(["doctor"])).code).toBe(0);
  });

  it("names requests that the collector refused, with counts and what to do", async () => {
    expect(await send("/v1/metrics", {})).toBe(404);
    expect(await send("/v1/telemetry", { service: "shop" })).toBe(400);
    expect(await send("/v1/telemetry", { service: "shop" })).toBe(400);
    const refused = findingsOf(await obspan(["doctor", "--json"])).filter(({ check }) => check === "refused");
    expect(refused).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          message: expect.stringMatching(
            /^1 request was refused with not_found, the last .* \(\/v1\/metrics\)/,
          ),
          remedy: expect.stringContaining("OTEL_METRICS_EXPORTER=none"),
        }),
        expect.objectContaining({
          message: expect.stringMatching(/^2 requests were refused with missing_spans/),
        }),
      ]),
    );
  });

  it("exits with 1 for a key that is missing or wrong, and with 4 where no collector is", async () => {
    const missing = await obspan(["doctor"], { env: { OBS_API_KEY: "" } });
    expect(missing).toMatchObject({ code: 1, stdout: expect.stringContaining("OBS_API_KEY is not set") });
    const wrong = await obspan(["doctor", "--json"], { env: { OBS_API_KEY: "wrong-key" } });
    expect(wrong.code).toBe(1);
    expect(findingsOf(wrong)).toContainEqual(
      expect.objectContaining({
        check: "key",
        status: "problem",
        message: expect.stringContaining("refuses the key"),
      }),
    );
    expect(wrong.stdout).not.toContain("wrong-key");
    const away = await obspan(["doctor", "--url", NOWHERE]);
    expect(away).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("Nothing listens at 127.0.0.1:1."),
    });
    expect((await obspan(["doctor", "--url", "nowhere"])).code).toBe(2);
  });
});

describe("contract 9: obspan open", () => {
  it("opens the page of a trace in the browser of the user, without a shell", async () => {
    const opened = join(app, "opened.txt");
    const browser = join(app, "my browser");
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf '%s' "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`,
      { mode: 0o755 },
    );
    const id = "open $(id) 1";
    expect(await send("/v1/telemetry", { spans: [{ name: "chat", trace_id: id, duration_ms: 5 }] })).toBe(
      202,
    );
    await ledgerAtRest(url);
    const page = `${url}/traces/${encodeURIComponent(id)}`;
    expect(await obspan(["open", id], { env: { BROWSER: browser } })).toEqual({
      code: 0,
      stdout: `${page}\n`,
      stderr: "",
    });
    expect(
      await until("the browser runs", () => (existsSync(opened) ? readFileSync(opened, "utf8") : undefined)),
    ).toBe(page);
    expect(await obspan(["open", "--print"])).toMatchObject({ code: 0, stdout: `${url}/\n` });
    expect((await obspan(["open", "no-such-trace"], { env: { BROWSER: browser } })).code).toBe(3);
    expect(await obspan(["open"], { env: { BROWSER: "no-such-browser" } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("set BROWSER"),
    });
    expect((await obspan(["open", "--url", NOWHERE])).code).toBe(4);
  });
});

describe("contract 9: obspan completion", () => {
  it("completes commands, options and their values in bash, from what is registered", async () => {
    const { stdout: script } = await obspan(["completion", "bash"]);
    const complete = async (...words: string[]): Promise<string[]> => {
      const program = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _obspan; echo "\${COMPREPLY[@]}"`;
      const { stdout } = await runProgram("bash", ["--norc", "-c", program, "bash", ...words]);
      return stdout.trim().split(" ");
    };
    const { stdout: help } = await obspan(["--help"]);
    const commands = Array.from(help.matchAll(/^ {2}([a-z-]+) /gm), ([, name = ""]) => name);
    expect(commands.length).toBeGreaterThan(10);
    // The skill for coding agents names commands that exist.
    const skill = readFileSync(SKILL, "utf8");
    expect(commands).toEqual(
      expect.arrayContaining(Array.from(skill.matchAll(/^obspan ([a-z]+)/gm), ([, name]) => name)),
    );
    expect(await complete("obspan", "")).toEqual(expect.arrayContaining(commands));
    expect(await complete("obspan", "connect", "c")).toEqual(["claude-code", "codex", "cursor"]);
    expect(await complete("obspan", "connect", "codex", "--u")).toEqual(["--undo", "--url"]);
    expect(await complete("obspan", "store", "")).toEqual(
      expect.arrayContaining(["info", "verify", "backup"]),
    );
    expect(await complete("obspan", "store", "info", "--d")).toEqual(["--directory"]);
    expect(await complete("obspan", "run", "--", "--u")).toEqual([""]);
  });

  it.each(["zsh", "fish"])("has a script for %s with every command", async (shell) => {
    const { code, stdout } = await obspan(["completion", shell]);
    expect(code).toBe(0);
    for (const word of ["traces", "claude-code", "--undo", "--older-than", "completion"]) {
      // fish names long options without their dashes.
      expect(stdout).toContain(shell === "fish" ? word.replace(/^--/, "-l ") : word);
    }
    const file = join(app, shell);
    writeFileSync(file, stdout);
    const program = ["/usr/bin", "/bin", "/usr/local/bin"]
      .map((place) => join(place, shell))
      .find((path) => existsSync(path));
    if (program !== undefined)
      expect(await runProgram(program, ["-n", file])).toMatchObject({ code: 0, stderr: "" });
    expect((await obspan(["completion", "tcsh"])).code).toBe(2);
  });
});

describe("contract 9: obspan connect", () => {
  it("writes settings below the home directory, and takes them back", async () => {
    const settings = '{ "env": { "A": "1" } /* mine */ }\n';
    const home = join(app, "home");
    mkdirSync(join(home, ".claude"), { recursive: true });
    const file = join(home, ".claude/settings.json");
    writeFileSync(file, settings);
    const env = { HOME: home, XDG_CONFIG_HOME: "" };
    const shown = await obspan(["connect", "claude-code", "--skill"], { env });
    expect(shown).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("Nothing is written yet."),
    });
    expect((await obspan(["connect", "claude-code", "--skill", "--write"], { env })).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain(`${url}/v1/traces`);
    expect(readFileSync(join(home, ".claude/skills/obspan/SKILL.md"), "utf8")).toContain(
      "Read traces before you guess",
    );
    expect((await obspan(["connect", "claude-code", "--undo"], { env })).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(settings);
    expect(readdirSync(home, { recursive: true }).sort()).toEqual([
      ".claude",
      ".claude/settings.json",
      ".config",
    ]);
    for (const args of [["connect"], ["connect", "cursr"], ["connect", "cursor", "--undo", "--write"]])
      expect((await obspan(args, { env })).code, args.join(" ")).toBe(2);
  });
});

describe("the guide", () => {
  it.each(["run", "coding-agents", "no-spans"])("page %s has commands that run", async (page) => {
    const directory = mkdtempSync(join(app, "guide-"));
    const files = {
      "app.js": "console.log(process.env.OBS_SERVICE);",
      "app.py": "import os; print(os.environ['OTEL_SERVICE_NAME'])",
      "package.json": '{"scripts":{"test":"node app.js"}}',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    mkdirSync(join(directory, "bin"));
    writeFileSync(join(directory, "bin/obspan"), `#!/bin/sh\nexec "${process.execPath}" "${OBSPAN}" "$@"\n`, {
      mode: 0o755,
    });
    const lines = guideShellLines(page).filter((line) => line.startsWith("obspan "));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const ran = await runProgram("bash", ["--norc", "-euo", "pipefail", "-c", line], {
        cwd: directory,
        env: {
          PATH: `${join(directory, "bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
          HOME: directory,
          XDG_CONFIG_HOME: "",
          OBS_PUSH_URL: url,
          OBS_API_KEY: KEY,
        },
        timeoutMs: 60_000,
      });
      expect(ran.code, `${line}\n${ran.stderr}`).toBe(0);
      if (line.startsWith("obspan run"))
        expect(ran.stdout).toMatch(line.includes("--service shop") ? /shop\n$/ : /guide-\w+\n$/);
    }
  });
});
