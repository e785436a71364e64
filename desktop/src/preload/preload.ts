/** Runs before the page in an isolated world and exposes only the bridge: no `ipcRenderer`, no general `send`. */
import { contextBridge, ipcRenderer, webUtils, type IpcRendererEvent } from "electron";
import type { DesktopBridge, JudgeKeyState, MenuCommand } from "../shared/bridge.js";
import { CHANNELS, VERSION_ARGUMENT } from "../shared/channels.js";

const bridge: DesktopBridge = {
  platform: process.platform,
  version:
    process.argv.find((argument) => argument.startsWith(VERSION_ARGUMENT))?.slice(VERSION_ARGUMENT.length) ??
    "",
  openExternal: (url) => ipcRenderer.invoke(CHANNELS.openExternal, url) as Promise<boolean>,
  judgeKey: {
    state: () => ipcRenderer.invoke(CHANNELS.judgeKeyState) as Promise<JudgeKeyState>,
    save: (key) => ipcRenderer.invoke(CHANNELS.saveJudgeKey, key) as Promise<JudgeKeyState>,
    remove: () => ipcRenderer.invoke(CHANNELS.removeJudgeKey) as Promise<JudgeKeyState>,
  },
  retention: {
    isSettled: () => ipcRenderer.invoke(CHANNELS.isRetentionSettled) as Promise<boolean>,
    settle: () => ipcRenderer.invoke(CHANNELS.settleRetention) as Promise<void>,
  },
  async rememberFile(file) {
    // Empty for a file that a page has made.
    const path = webUtils.getPathForFile(file as File);
    if (path !== "") await ipcRenderer.invoke(CHANNELS.rememberFile, path);
  },
  restart: () => ipcRenderer.invoke(CHANNELS.restart) as Promise<void>,
  onMenu(listener) {
    // The event is not passed on, because its `sender` would let the page send messages.
    const onMessage = (_event: IpcRendererEvent, command: MenuCommand): void => listener(command);
    ipcRenderer.on(CHANNELS.menu, onMessage);
    return () => void ipcRenderer.off(CHANNELS.menu, onMessage);
  },
};

contextBridge.exposeInMainWorld("obspan", bridge);
