import { app } from "electron";
import { errorMessage, stopInOrder } from "@obspan/collector-core";
import type { AppLog } from "./app-log.js";
import type { RunningCollector } from "./collector-start.js";
import { askUser } from "./ask-user.js";
import { readLogTail } from "./log-tail.js";
import { offerToQuitAtOnce } from "./quit-dialog.js";

/** The shutdown of the app. */
export interface Quitting {
  /** True from the first request to quit. */
  readonly isAsked: boolean;
  /** Sets the collector that must stop before the process ends. */
  setRunning(running: RunningCollector): void;
  /** Ends the app if the collector never started. */
  quitWithoutCollector(): void;
  /** Quits as usual, and starts the app again. */
  restart(): void;
  /** Calls a function before the process ends, after the collector has stopped, and waits for what it returns. */
  onEnd(listener: () => void | Promise<void>): void;
}

/** Options of {@link installQuitHandlers}. */
export interface QuitOptions extends AppLog {
  /** Starts the app again when this process ends. */
  readonly relaunch: () => void;
}

/** A dialog has no scroll bar. */
const MAX_SHOWN_LOG = 1500;

/** A closed terminal, or the console of Windows, and Ctrl+Break there too: none of them may lose accepted spans. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

/**
 * Makes all exits equal: windows close, the collector processes its accepted spans (spec 4.9 rule 6, within
 * `shutdown.grace_period_seconds`), the ledger is logged, the process ends.
 */
export function installQuitHandlers({ log, logFile, relaunch }: QuitOptions): Quitting {
  let running: RunningCollector | undefined;
  let reason = "quit";
  let exitCode = 0;
  let failure: unknown;
  let isAsked = false;
  let isStopping = false;
  let ending: Promise<void> | undefined;
  let isRelaunched = false;
  const endListeners: (() => void | Promise<void>)[] = [];

  const quit = (why: string, code: number): void => {
    reason = why;
    exitCode = Math.max(exitCode, code);
    app.quit();
  };
  for (const signal of SIGNALS) process.on(signal, () => quit(signal, 0));
  process.on("unhandledRejection", (error) => log.critical(`Unhandled rejection: ${stackOf(error)}`));
  process.on("uncaughtException", (error) => {
    log.critical(`Uncaught exception: ${stackOf(error)}`);
    failure ??= error;
    quit("uncaught exception", 1);
  });

  /** Electron starts one process for each call. */
  function startAgain(): void {
    if (!isRelaunched) relaunch();
    isRelaunched = true;
  }

  async function stop(): Promise<void> {
    // A new start must not be redirected to this ending instance.
    app.releaseSingleInstanceLock();
    if (running !== undefined) {
      const stopWaiting = offerToQuitAtOnce({ ...running, log, quitAtOnce: () => void end() });
      await stopInOrder({ ...running, logger: log, reason });
      stopWaiting();
    }
    if (failure !== undefined) await offerRestart(failure);
    await end();
  }

  /** After an error that nothing has caught, the state of the app is not known. */
  async function offerRestart(error: unknown): Promise<void> {
    const answer = await askUser({
      type: "error",
      message: "Obspan has to stop",
      detail: `${errorMessage(error)}\n\n${logFile ?? "No log file"}\n${readLogTail(logFile).slice(-MAX_SHOWN_LOG)}`,
      buttons: ["Restart", "Quit"],
      defaultId: 0,
      cancelId: 1,
    });
    if (answer === 0) startAgain();
  }

  /** The user may end it while it ends. */
  function end(): Promise<void> {
    return (ending ??= endProcess());
  }

  async function endProcess(): Promise<void> {
    await Promise.allSettled(endListeners.map(async (listener) => await listener()));
    log.close();
    app.exit(exitCode);
  }

  app.on("before-quit", () => {
    isAsked = true;
  });
  // All windows are closed; the process waits for the collector.
  app.on("will-quit", (event) => {
    event.preventDefault();
    if (isStopping) return;
    isStopping = true;
    void stop();
  });

  return {
    get isAsked() {
      return isAsked;
    },
    setRunning(started) {
      running = started;
    },
    quitWithoutCollector: () => quit("no port", 0),
    restart() {
      startAgain();
      quit("restart", 0);
    },
    onEnd: (listener) => void endListeners.push(listener),
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
