import { app } from "electron";
import { HIDDEN_ARGUMENT } from "./login-item.js";
import { readArguments } from "./openings.js";

/**
 * Starts the app again when this process ends: with its window, and without the files and links of this start.
 *
 * @param appImage - path of the AppImage, which mounts its content for as long as it runs; otherwise undefined.
 */
export function relaunch(appImage: string | undefined): void {
  const args = process.argv
    .slice(1)
    .filter((argument) => argument !== HIDDEN_ARGUMENT && readArguments([argument], "").length === 0);
  app.relaunch({ args, ...(appImage === undefined ? {} : { execPath: appImage }) });
}
