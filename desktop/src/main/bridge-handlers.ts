import { BrowserWindow, ipcMain, type IpcMainInvokeEvent } from "electron";
import { Type, type Static, type TSchema } from "typebox";
import { Value } from "typebox/value";
import { CHANNELS } from "../shared/channels.js";
import { askAndOpenExternal, isExternal } from "./external-links.js";
import type { JudgeKey } from "./judge-key.js";
import type { GuardOptions } from "./navigation-guard.js";
import type { Preferences } from "./preferences.js";

const OpenExternalArguments = Type.Tuple([Type.String({ minLength: 1, maxLength: 2048 })]);

const NoArguments = Type.Tuple([]);
const PathArguments = Type.Tuple([Type.String({ minLength: 1, maxLength: 4096 })]);
const KeyArguments = Type.Tuple([Type.String({ pattern: "^[!-~]{1,4096}$" })]);

/** Options of {@link handleBridgeCalls}. */
export interface BridgeOptions extends GuardOptions {
  readonly judgeKey: JudgeKey;
  readonly preferences: Preferences;
  /** What is wrong with the configuration as the next start reads it. */
  readonly configProblems: () => readonly string[];
  readonly restart: () => void;
  /** Offers a file in the menu. It is opened only if the user chooses it there. */
  readonly rememberFile: (path: string) => void;
}

/** Handles the calls of the bridge. The sender and the arguments of each call are checked. */
export function handleBridgeCalls(options: BridgeOptions): void {
  const { origin, log, judgeKey, preferences } = options;
  handle(CHANNELS.openExternal, OpenExternalArguments, async ([url]) => {
    if (!isExternal(url)) throw new Error("Only https addresses can be opened.");
    return await askAndOpenExternal(url);
  });
  handle(CHANNELS.judgeKeyState, NoArguments, () => Promise.resolve(judgeKey.state));
  handle(CHANNELS.saveJudgeKey, KeyArguments, ([key]) =>
    judgeKey.save(key, BrowserWindow.getAllWindows()[0]),
  );
  handle(CHANNELS.removeJudgeKey, NoArguments, () => judgeKey.remove(options.configProblems));
  handle(CHANNELS.isRetentionSettled, NoArguments, () =>
    Promise.resolve(preferences.values.isRetentionSettled),
  );
  handle(CHANNELS.settleRetention, NoArguments, () => {
    preferences.change({ isRetentionSettled: true });
    return preferences.saved();
  });
  handle(CHANNELS.rememberFile, PathArguments, ([path]) => {
    options.rememberFile(path);
    return Promise.resolve();
  });
  handle(CHANNELS.restart, NoArguments, () => {
    options.restart();
    return Promise.resolve();
  });

  function handle<T extends TSchema>(
    channel: string,
    schema: T,
    answer: (args: Static<T>) => Promise<unknown>,
  ): void {
    ipcMain.handle(channel, async (event, ...args: unknown[]) => {
      if (!isOwnPage(event, origin)) {
        log.warning("Denied a call: its sender is not the collector's page.", { channel });
        throw new Error("Denied.");
      }
      if (!Value.Check(schema, args)) {
        log.warning("Denied a call: its arguments are not as described.", { channel });
        throw new Error("Denied.");
      }
      return await answer(args);
    });
  }
}

/** The frame is null if it has navigated or closed since the call. Only the top frame has the bridge. */
function isOwnPage({ senderFrame }: IpcMainInvokeEvent, origin: string): boolean {
  return senderFrame !== null && senderFrame.parent === null && senderFrame.origin === origin;
}
