import type { FromThread, ToThread } from "./protocol.js";

/** A storage thread, seen from the main thread. */
export interface ThreadHandle {
  postMessage(message: ToThread, transfer?: readonly ArrayBuffer[]): void;
  /** Ends the thread at once. */
  terminate(): Promise<void>;
}

/** Events of a {@link ThreadHandle}. */
export interface ThreadEvents {
  readonly onMessage: (message: FromThread) => void;
  /** Called once. @param cause - undefined if the thread ended without an error. @param error - for the log. */
  readonly onExit: (cause: string | undefined, error?: unknown) => void;
}

/**
 * Starts a storage thread.
 *
 * @param isRestart - true if the one before has died. It may have left a lock behind.
 */
export type StartThread = (events: ThreadEvents, isRestart: boolean) => ThreadHandle;
