import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { launchApp, newConfigHome, type LaunchedApp } from "./launch-app.js";

const ANSWERS = { retry: 0, "another port": 1, quit: 2 } as const;

/** Takes a port as another program would. */
async function occupy(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const OBSPAN = fileURLToPath(new URL("../../../collector-core/bin/obspan.js", import.meta.url));

/** Runs the command `obspan serve`, which holds its port and its directory, for one test. @returns its address. */
async function runCommand(env: Record<string, string> = {}): Promise<string> {
  const command = spawn(process.execPath, [OBSPAN, "serve"], {
    env: { PATH: process.env["PATH"], OBS_SERVER_PORT: "0", OBS_SERVER_HOST: "127.0.0.1", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exit = new Promise((resolve) => command.once("exit", resolve));
  onTestFinished(async () => {
    command.kill("SIGKILL");
    await exit;
  });
  let stderr = "";
  command.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  return await vi.waitFor(
    () => {
      const [, url] = /Listening on (http:\/\/[^\s"]+)/.exec(stderr) ?? [];
      if (url === undefined) throw new Error(`The command does not listen:\n${stderr}`);
      return url;
    },
    { timeout: 60_000, interval: 20 },
  );
}

async function postSpans(url: string, count: number): Promise<Response> {
  const spans = Array.from({ length: count }, (_, index) => ({
    name: "chat",
    trace_id: `t${index % 10}`,
    duration_ms: 5,
    attributes: { model: "gpt-5-mini", prompt_text: "Hello" },
  }));
  return await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", spans }),
  });
}

function ledger(app: LaunchedApp): Record<string, unknown> | undefined {
  const last = app.log().at(-1);
  return last?.["message"] === "Ledger" ? last : undefined;
}

/** The ids of the traces that the app shows. */
async function traceIds(url: string): Promise<string[]> {
  const { traces } = (await (await fetch(`${url}/v1/traces`)).json()) as { traces: { trace_id: string }[] };
  return traces.map(({ trace_id: traceId }) => traceId).sort();
}

describe("a port that is in use", () => {
  test("is reported with its holder, and quit ends the app without a window", async () => {
    const port = await occupy(createServer((_request, response) => response.end("hello")));
    const app = launchApp({ env: { OBS_SERVER_PORT: String(port) } });
    const dialog = await app.dialog();
    expect(dialog.options).toMatchObject({
      message: `Port ${port} is in use`,
      buttons: ["Retry", "Another port for this run", "Quit"],
    });
    expect(dialog.options.detail).toContain("A web server is listening there.");
    app.command({ type: "answer-dialog", id: dialog.id, response: ANSWERS.quit });
    expect(await app.exit).toBe(0);
    expect(app.reports("window")).toEqual([]);
  });

  test("is tried again on retry, the dialog returns while it is in use, and SIGTERM then ends the app in order", async () => {
    const server = createTcpServer((socket) => socket.resume().end("220 mail\r\n"));
    const port = await occupy(server);
    const app = launchApp({ env: { OBS_SERVER_PORT: String(port) } });
    const first = await app.dialog();
    expect(first.options.detail).toContain("Another program is listening there.");
    app.command({ type: "answer-dialog", id: first.id, response: ANSWERS.retry });
    const second = await app.dialog(2);
    await new Promise((resolve) => server.close(resolve));
    app.command({ type: "answer-dialog", id: second.id, response: ANSWERS.retry });
    const url = await app.url();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    await app.page();

    expect((await postSpans(url, 500)).status).toBe(202);
    app.process.kill("SIGTERM");
    expect(await app.exit).toBe(0);
    expect(ledger(app)).toMatchObject({ received: 500, processed: 500 });
  });

  test("holds up the start, and what second starts ask for meanwhile is opened after it", async () => {
    const server = createTcpServer((socket) => socket.resume().end("220 mail\r\n"));
    const port = await occupy(server);
    const first = launchApp({ env: { OBS_SERVER_PORT: String(port) }, args: ["--hidden"] });
    const dialog = await first.dialog();
    const { configHome } = first;
    const file = join(configHome, "second.jsonl");
    writeFileSync(file, "no json\n");
    expect(await launchApp({ configHome, args: [file] }).exit).toBe(0);
    expect(await launchApp({ configHome }).exit).toBe(0);

    await new Promise((resolve) => server.close(resolve));
    first.command({ type: "answer-dialog", id: dialog.id, response: ANSWERS.retry });
    expect((await first.dialog(2)).options.message).toBe("second.jsonl cannot be opened");
    await first.report("window");

    // A page that asks twice restarts the app once: Electron starts one process for each call.
    const restart = { type: "invoke-as", isMainFrame: true, channel: "obspan:restart", args: [] } as const;
    const url = await first.url();
    await Promise.allSettled([first.ask({ ...restart, url }), first.ask({ ...restart, url })]);
    expect(await first.exit).toBe(0);
    expect(first.reports("relaunch")).toHaveLength(1);
  });

  test("is replaced only if the user agrees, another Obspan is named, and traces are kept in memory, with a warning, while it has the directory open", async () => {
    const configHome = newConfigHome();
    const directory = join(configHome, "Obspan/traces");
    const holderUrl = await runCommand({ OBS_SERVER_TRACE_STORE_PATH: directory });
    const taken = new URL(holderUrl).port;
    const app = launchApp({ configHome, env: { OBS_SERVER_PORT: taken } });
    const dialog = await app.dialog();
    expect(dialog.options.detail).toMatch(
      /Another Obspan collector \(version 0\.1\.0\) has been listening there for \d+ \w+/,
    );
    app.command({ type: "answer-dialog", id: dialog.id, response: ANSWERS["another port"] });
    const url = await app.url();
    expect(new URL(url).port).not.toBe(taken);
    expect((await app.page()).url()).toContain(url);
    const config = (await (await fetch(`${url}/v1/config`)).json()) as { options: unknown };
    expect(JSON.stringify(config)).toContain("another port for this run");

    expect(app.log()).toContainEqual(
      expect.objectContaining({
        level: "WARNING",
        message: expect.stringContaining("Traces are kept in memory only.") as string,
      }),
    );
    expect((await postSpans(url, 10)).status).toBe(202);
    await vi.waitFor(async () => expect(await traceIds(url)).toHaveLength(10), { timeout: 30_000 });
    expect(await traceIds(holderUrl)).toEqual([]);
  });
});

describe("starting", () => {
  test("a second time shows the window of the first, and ends", async () => {
    const first = launchApp();
    await first.page();
    first.command({ type: "minimize" });
    const second = launchApp({ configHome: first.configHome });
    expect(await second.exit).toBe(0);
    expect(second.reports("window")).toEqual([]);
    await vi.waitFor(
      () =>
        expect(first.reports("window-call").map(({ call }) => call)).toEqual([
          "show",
          "restore",
          "show",
          "focus",
        ]),
      { timeout: 30_000 },
    );
  });

  test("again restores the window's position, and the traces, also of spans that were posted just before the quit, which are kept for 14 days", async () => {
    const configHome = newConfigHome();
    const first = launchApp({ configHome });
    await first.page();
    const url = await first.url();
    first.command({ type: "set-bounds", width: 1100, height: 700 });
    const posted = await Promise.all(Array.from({ length: 8 }, () => postSpans(url, 1000)));
    first.command({ type: "quit" });
    expect(await first.exit).toBe(0);
    expect(posted.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 202));
    expect(ledger(first)).toMatchObject({
      received: 8000,
      accepted: 8000,
      processed: 8000,
      queued: 0,
      in_flight: 0,
    });
    const kept: unknown = JSON.parse(readFileSync(join(configHome, "Obspan/window-state.json"), "utf8"));
    expect(kept).toMatchObject({ width: 1100, height: 700, maximized: false });
    const directory = join(configHome, "Obspan/traces");
    expect(readdirSync(directory)).toContain("traces.db");

    const second = launchApp({ configHome });
    const page = await second.page();
    expect(await page.evaluate(() => [innerWidth, innerHeight])).toEqual([1100, 700]);
    expect(await traceIds(await second.url())).toEqual(Array.from({ length: 10 }, (_, index) => `t${index}`));
    const config = (await (await fetch(`${await second.url()}/v1/config`)).json()) as {
      config: unknown;
    };
    expect(config.config).toMatchObject({
      "trace_store.path": { value: directory, source: "default" },
      "trace_store.ttl_seconds": { value: 14 * 24 * 3600, source: "default" },
    });
  });

  test("with a refused configuration lists every problem, and exits with 1", async () => {
    const app = launchApp({ env: { OBS_SERVER_PORT: "eighty", OBS_SERVER_LOGGING_LEVEL: "LOUD" } });
    const dialog = await app.dialog();
    expect(dialog.options).toMatchObject({ type: "error", message: "The configuration has 2 problems" });
    expect(dialog.options.detail).toMatch(/server\.port = eighty[^]*logging\.level = LOUD/);
    app.command({ type: "answer-dialog", id: dialog.id, response: 0 });
    expect(await app.exit).toBe(1);
  });
});
