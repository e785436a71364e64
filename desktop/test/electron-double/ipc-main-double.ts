import type { IpcMain, IpcMainInvokeEvent } from "electron";

type InvokeHandler = Parameters<IpcMain["handle"]>[1];

/** `ipcMain` (api/ipc-main.md): calls only, for the app sends nothing else. */
export class IpcMainDouble implements Pick<IpcMain, "handle"> {
  readonly #handlers = new Map<string, InvokeHandler>();

  handle(channel: string, handler: InvokeHandler): void {
    if (this.#handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.#handlers.set(channel, handler);
  }

  /**
   * "Errors thrown through handle in the main process are not transparent as they are serialized and only the message
   * property from the original error is provided to the renderer process."
   */
  async invoke(event: IpcMainInvokeEvent, channel: string, args: readonly unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel);
    try {
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
      return (await handler(event, ...args)) as unknown;
    } catch (error) {
      throw new Error(`Error invoking remote method '${channel}': ${String(error)}`, { cause: error });
    }
  }
}
