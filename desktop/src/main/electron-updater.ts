import type { AppUpdater, UpdateInfo } from "electron-updater";
import type { Logger } from "@obspan/collector-core";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Updater } from "./updates.js";

/** Options of {@link openUpdater}. */
export interface UpdaterOptions {
  /** `process.resourcesPath`: electron-builder writes the address of the feed there if one is configured. */
  readonly resources: string | undefined;
  readonly log: Pick<Logger, "info" | "warning">;
  readonly onEnd: (listener: () => void) => void;
}

/**
 * The updater of electron-updater, which verifies the signature of what it downloads.
 *
 * @returns undefined if the app was built without a feed: nothing is asked for then.
 */
export async function openUpdater({ resources, log, onEnd }: UpdaterOptions): Promise<Updater | undefined> {
  if (resources === undefined || !existsSync(join(resources, "app-update.yml"))) return undefined;
  let updater: AppUpdater;
  try {
    updater = await load();
  } catch (error) {
    log.warning(`There are no updates: ${String(error)}`);
    return undefined;
  }
  // Each step is asked for.
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.logger = {
    info: (message) => log.info(String(message)),
    warn: (message) => log.warning(String(message)),
    error: (message) => log.warning(String(message)),
  };
  let startsAgain: boolean | undefined;
  // What fails also rejects.
  updater.on("error", () => undefined);
  return {
    async check() {
      const result = await updater.checkForUpdates();
      if (result?.isUpdateAvailable !== true) return undefined;
      const { version } = result.updateInfo;
      return { version, notes: notesOf(result.updateInfo) };
    },
    async download(onProgress) {
      const onData = ({ percent }: { percent: number }): void => onProgress(percent / 100);
      updater.on("download-progress", onData);
      try {
        await updater.downloadUpdate();
      } finally {
        updater.off("download-progress", onData);
      }
    },
    installAtEnd(again) {
      if (startsAgain === undefined) onEnd(() => updater.quitAndInstall(true, startsAgain));
      startsAgain = again;
    },
  };
}

async function load(): Promise<AppUpdater> {
  const module = await import("electron-updater");
  return module.default.autoUpdater;
}

/** GitHub gives HTML. It is shown as text. */
function notesOf({ releaseNotes }: UpdateInfo): string {
  const notes =
    typeof releaseNotes === "string"
      ? releaseNotes
      : (releaseNotes ?? []).map(({ version, note }) => `${version}\n${note ?? ""}`).join("\n\n");
  return notes.replaceAll(/<[^<>]*>/g, "");
}
