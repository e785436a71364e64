import { fork, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { onTestFinished, vi } from "vitest";
import type { DoubleCommand, DoubleReport } from "../electron-double/messages.js";
import { packApp } from "./packed-app.js";
import { sharedBrowser } from "./shared-browser.js";

const REGISTER = fileURLToPath(new URL("../electron-double/register.mjs", import.meta.url));

type ReportOf<T extends DoubleReport["type"]> = DoubleReport & { type: T };
type Asked<T> = T extends { id: number } ? Omit<T, "id"> : never;

/** The built app in a process of its own, on the double of `electron`. */
export interface LaunchedApp {
  readonly process: ChildProcess;
  /** The user data directory; a second app with the same one is a second instance. */
  readonly configHome: string;
  /** The messages of one type so far. */
  reports<T extends DoubleReport["type"]>(type: T): ReportOf<T>[];
  /** Waits for the nth dialog, from 1. */
  dialog(nth?: number): Promise<ReportOf<"dialog">>;
  /** Waits for the nth report of a type, from 1. */
  report<T extends DoubleReport["type"]>(type: T, nth?: number): Promise<ReportOf<T>>;
  command(command: DoubleCommand): void;
  /** A command that has an answer. */
  ask(command: Asked<DoubleCommand>): Promise<unknown>;
  /** The window's page, once it shows the collector, or an address that begins so. */
  page(address?: string): Promise<Page>;
  /** The collector's address from the log. */
  url(): Promise<string>;
  /** The log file's lines. */
  log(): Record<string, unknown>[];
  /** Resolves with the exit code. */
  readonly exit: Promise<number | null>;
}

/** An app that no test ends by itself. */
export interface StartedApp extends LaunchedApp {
  /** What the app has written to stderr so far. */
  stderr(): string;
  /** Ends the app, and removes what it has left. */
  stop(): Promise<void>;
}

export interface LaunchOptions {
  readonly env?: Record<string, string>;
  /** Another app's, for a second instance. */
  readonly configHome?: string;
  /** Arguments of the start. */
  readonly args?: readonly string[];
}

/** Starts the app on a free port unless set otherwise, and ends it with the test. */
export function launchApp(options: LaunchOptions = {}): LaunchedApp {
  const app = startApp(options);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") process.stderr.write(`── the app's stderr:\n${app.stderr()}\n`);
    await app.stop();
  });
  return app;
}

/** {@link launchApp} for several tests; the caller stops it. */
export function startApp({
  env = {},
  configHome = newConfigHome(),
  args = [],
}: LaunchOptions = {}): StartedApp {
  const app = packApp();
  mkdirSync(configHome, { recursive: true });
  const child = fork(app.main, args, {
    execArgv: ["--import", REGISTER],
    silent: true,
    env: {
      PATH: process.env["PATH"],
      HOME: configHome,
      XDG_CONFIG_HOME: configHome,
      OBS_SERVER_PORT: "0",
      OBS_SERVER_LOGGING_STRUCTURED: "true",
      ...env,
    },
  });
  let stderr = "";
  child.stderr?.on("data", (data: Buffer) => (stderr += data.toString()));
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const reports: DoubleReport[] = [];
  child.on("message", (report: DoubleReport) => {
    reports.push(report);
    if (report.type === "browser-wanted") void giveBrowser();
  });
  let asked = 0;

  async function giveBrowser(): Promise<void> {
    const { debuggingPort } = await sharedBrowser();
    // The app may have ended meanwhile.
    if (child.connected) child.send({ type: "browser", debuggingPort });
  }

  async function stop(): Promise<void> {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
    await exit;
    clearTimeout(timer);
    app.remove();
    rmSync(configHome, { recursive: true, force: true });
  }

  const of = <T extends DoubleReport["type"]>(type: T): ReportOf<T>[] =>
    reports.filter((report): report is ReportOf<T> => report.type === type);

  /** Waits for the first value; fails when the app ends. */
  async function until<T>(what: string, find: () => T | undefined): Promise<T> {
    return await vi.waitFor(
      () => {
        const found = find();
        if (found !== undefined) return found;
        const state = child.exitCode === null ? "is running" : `ended with ${child.exitCode}`;
        throw new Error(`No ${what}; the app ${state}.\n${stderr}`);
      },
      { timeout: 60_000, interval: 20 },
    );
  }

  const launched: StartedApp = {
    process: child,
    configHome,
    exit,
    reports: of,
    report: (type, nth = 1) => until(`${type} ${nth}`, () => of(type)[nth - 1]),
    dialog: (nth = 1) => until(`dialog ${nth}`, () => of("dialog")[nth - 1]),
    command: (command) => void child.send(command),
    async ask(command) {
      const id = ++asked;
      child.send({ ...command, id });
      const { value, error } = await until("answer", () => of("answer").find((each) => each.id === id));
      if (error !== undefined) throw new Error(error);
      return value;
    },
    async page(address) {
      await until("window", () => of("window")[0]);
      const { context } = await sharedBrowser();
      const url = address ?? (await launched.url());
      const page = await until("page", () => context.pages().find((each) => each.url().startsWith(url)));
      await page.waitForLoadState();
      return page;
    },
    url: () =>
      // The log file may hold an earlier run's address as well.
      until("address", () => /"Listening on ([^"]+)"/.exec(stderr)?.[1]),
    log: () => readLog(join(configHome, "Obspan/logs/obspan.log")),
    stderr: () => stderr,
    stop,
  };
  return launched;
}

export function newConfigHome(): string {
  return mkdtempSync(join(tmpdir(), "obspan-home-"));
}

function readLog(path: string): Record<string, unknown>[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
  } catch {
    return []; // not made yet
  }
}
