import type { MessageBoxOptions } from "electron";
import { errorMessage, type Logger } from "@obspan/collector-core";
import type { Preferences } from "./preferences.js";

/** A newer version. */
export interface Update {
  readonly version: string;
  /** What has changed, as text. */
  readonly notes: string;
}

/** What finds and installs updates. */
export interface Updater {
  /** Resolves with undefined if this version is the newest. */
  check(): Promise<Update | undefined>;
  /** Downloads the update that was found, and verifies its signature. */
  download(onProgress: (share: number) => void): Promise<void>;
  /** Installs it when the process ends, and starts the app again if asked. */
  installAtEnd(startsAgain: boolean): void;
}

/** Options of {@link createUpdates}. */
export interface UpdatesOptions {
  readonly updater: Updater;
  readonly version: string;
  readonly preferences: Preferences;
  readonly log: Pick<Logger, "info" | "warning">;
  /** Shows a dialog. @returns the index of the button. */
  readonly ask: (options: MessageBoxOptions) => Promise<number>;
  readonly onProgress: (share: number) => void;
  /** Quits as usual: what apps have sent is processed first. */
  readonly quit: () => void;
}

/** Updates of the app. */
export interface Updates {
  /** Looks for a newer version. The user's own question is always answered; an automatic one asks only about news. */
  check(isAskedFor: boolean): Promise<void>;
}

/** A dialog has no scroll bar. */
const MAX_NOTES = 1500;

/** Asks before each step: nothing is downloaded or installed by itself. */
export function createUpdates(options: UpdatesOptions): Updates {
  const { updater, preferences, log, ask } = options;
  let isBusy = false;
  let ready: string | undefined;

  async function tell(message: string, detail: string): Promise<void> {
    await ask({ type: "info", message, detail, buttons: ["OK"] });
  }

  async function offer({ version, notes }: Update): Promise<void> {
    const answer = await ask({
      type: "info",
      message: `Obspan ${version} is available`,
      detail: `This is ${options.version}.\n\n${shortened(notes)}`,
      buttons: ["Download", "Later"],
      defaultId: 0,
      cancelId: 1,
    });
    if (answer !== 0) {
      preferences.change({ laterVersion: version });
      return;
    }
    try {
      await updater.download(options.onProgress);
    } finally {
      options.onProgress(-1);
    }
    log.info(`Downloaded Obspan ${version}`);
    ready = version;
    await offerRestart(version);
  }

  async function offerRestart(version: string): Promise<void> {
    const answer = await ask({
      type: "info",
      message: `Obspan ${version} is ready`,
      detail:
        "Obspan processes what apps have sent, then it is replaced. Apps that send meanwhile try again.",
      buttons: ["Restart Now", "When Obspan Quits"],
      defaultId: 0,
      cancelId: 1,
    });
    updater.installAtEnd(answer === 0);
    if (answer === 0) options.quit();
  }

  async function checkOnce(isAskedFor: boolean): Promise<void> {
    if (ready !== undefined) {
      if (isAskedFor) await offerRestart(ready);
      return;
    }
    const update = await updater.check();
    if (update === undefined) {
      if (isAskedFor) await tell("Obspan is up to date", `${options.version} is the newest version.`);
    } else if (isAskedFor || update.version !== preferences.values.laterVersion) await offer(update);
  }

  return {
    async check(isAskedFor) {
      if (isBusy) return;
      isBusy = true;
      try {
        await checkOnce(isAskedFor);
      } catch (error) {
        const reason = errorMessage(error);
        log.warning(`No update: ${reason}`);
        if (isAskedFor) await tell("Obspan cannot be updated", reason.slice(0, MAX_NOTES));
      } finally {
        isBusy = false;
      }
    },
  };
}

function shortened(notes: string): string {
  const text = notes.trim();
  return text.length > MAX_NOTES ? `${text.slice(0, MAX_NOTES)}…` : text;
}
