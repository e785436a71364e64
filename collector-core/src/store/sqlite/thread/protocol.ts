import type { ErrorCode, ErrorDetails } from "../../../api-schema/errors.js";
import type { LogContext } from "../../../logging/logger.js";
import type { EngineHost, EngineUsage, StorageCommands } from "./storage-engine.js";

export type CommandName = keyof StorageCommands;

type WithoutSignal<Arguments extends readonly unknown[]> = Arguments extends [...infer Rest, AbortSignal]
  ? Rest
  : Arguments;

/** Arguments of a command without its signal, which is made in the thread. */
export type CommandArguments<Name extends CommandName> = WithoutSignal<Parameters<StorageCommands[Name]>>;
export type CommandResult<Name extends CommandName> = Awaited<ReturnType<StorageCommands[Name]>>;

/** To the storage thread. */
export type ToThread =
  | { readonly type: "append"; /** Transferred. */ readonly bytes: ArrayBuffer; readonly length: number }
  | {
      readonly type: "ask";
      readonly id: number;
      readonly command: CommandName;
      readonly args: readonly unknown[];
    }
  | { readonly type: "abort"; readonly id: number }
  /** Commits, closes the file and ends. */
  | { readonly type: "stop" };

/** From the storage thread. */
export type FromThread =
  /** The file is open. */
  | { readonly type: "ready"; readonly usage: EngineUsage }
  /** The file cannot be opened; the thread ends. */
  | { readonly type: "refused"; readonly error: StartError }
  /** Answers each append, in order. */
  | {
      readonly type: "applied";
      /** Transferred back, to be used again. */
      readonly bytes: ArrayBuffer;
      /** True if the engine threw: the spans are not stored. */
      readonly hasFailed: boolean;
      /** Spans that a crash would lose now. */
      readonly pendingSpans: number;
    }
  /** An answer or a failure ends each question, aborted ones included. */
  | { readonly type: "answer"; readonly id: number; readonly result: unknown }
  | { readonly type: "failure"; readonly id: number; readonly error: ThreadError }
  | { readonly type: "usage"; readonly usage: EngineUsage }
  | {
      readonly type: "log";
      readonly level: Parameters<EngineHost["log"]>[0];
      readonly message: string;
      readonly context: LogContext | undefined;
    }
  | { readonly type: "stopped"; readonly usage: EngineUsage };

/** Why the thread did not start. */
export interface StartError {
  readonly message: string;
  /** Of a `TraceFileError`; undefined for another error. */
  readonly reason: string | undefined;
}

/** An error of a command. */
export type ThreadError =
  | {
      readonly type: "api";
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: ErrorDetails;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Its signal was aborted: nobody waits for the answer. */
  | { readonly type: "aborted" }
  /** Logged on the main thread; the client learns only that it happened. */
  | { readonly type: "unexpected"; readonly description: string };

/** A port of a `MessageChannel`, or the port of a worker to its parent. */
export interface ThreadPort<Sent, Received> {
  postMessage(message: Sent, transfer?: readonly ArrayBuffer[]): void;
  on(event: "message", listener: (message: Received) => void): unknown;
  close(): void;
}
