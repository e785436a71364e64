/** The channel to the test, which forked this process. */
import { EventEmitter } from "node:events";
import type { DoubleCommand, DoubleReport } from "./messages.js";

const commands = new EventEmitter();
process.on("message", (command: DoubleCommand) => commands.emit(command.type, command));

export function report(message: DoubleReport): void {
  if (process.send === undefined)
    throw new Error("The electron double is started by tests only, through fork().");
  process.send(message);
}

export function onCommand<T extends DoubleCommand["type"]>(
  type: T,
  listener: (command: DoubleCommand & { type: T }) => void,
): void {
  commands.on(type, listener);
}

/** Runs a command of the test and reports the result. */
export async function answer(id: number, effect: () => unknown): Promise<void> {
  try {
    report({ type: "answer", id, value: await effect() });
  } catch (error) {
    report({ type: "answer", id, error: error instanceof Error ? error.message : String(error) });
  }
}
