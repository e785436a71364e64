import { isatty, WriteStream } from "node:tty";
import { lineWriter, type LineWriter } from "../../logging/line-writer.js";
import { printError } from "../../logging/terminal.js";
import { Progress } from "../progress.js";
import { colours, type Colours } from "./colours.js";
import { safeJson, safeText } from "./safe-text.js";

const STDOUT = 1;
const STDERR = 2;

/** Where a command prints. */
export interface Output {
  /** Columns of the terminal; undefined if stdout is none, and lines may have any length. */
  readonly columns: number | undefined;
  /** True if a person sees what is printed at once. */
  readonly isTerminal: boolean;
  /** Colours for stdout. */
  readonly colours: Colours;
  readonly isErrorTerminal: boolean;
  /** True if a text could not be written, for example on a full disk. */
  readonly hasFailed: boolean;
  /** Writes to stdout. @throws ReaderGone after its reader has closed it, as `head` does. */
  print(text: string): void;
  /** Writes a value as a line of JSON, whose texts have no effect on a terminal. */
  printJson(value: unknown): void;
  /** Writes to stderr. What it quotes has no effect on a terminal. */
  note(text: string): void;
  /** Shows on stderr how far a task is. */
  progress(task: string): Progress;
}

/** Nobody reads stdout any more: the command ends without an error. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

/** Where texts are written. */
export interface Writers {
  readonly write: LineWriter;
  readonly note: (text: string) => void;
}

/** Writes synchronously: what is printed before the exit is not lost. A pager may stop for as long as its user reads. */
const ofThisProcess = (): Writers => ({
  write: lineWriter(STDOUT, Number.POSITIVE_INFINITY),
  note: printError,
});

/** The output of a command, by default that of this process. */
export function createOutput(
  env: Readonly<Record<string, string | undefined>>,
  { write, note }: Writers = ofThisProcess(),
): Output {
  const isTerminal = isatty(STDOUT);
  const isErrorTerminal = isatty(STDERR);
  let hasFailed = false;
  const output = {
    columns: columnsOf(env, isTerminal),
    isTerminal,
    colours: colours(isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb"),
    isErrorTerminal,
    get hasFailed() {
      return hasFailed;
    },
    print(text: string): void {
      const failure = write(text);
      if (failure === undefined) return;
      if ("code" in failure && failure.code === "EPIPE") throw new ReaderGone(undefined, { cause: failure });
      if (!hasFailed) note(`obspan: cannot write to stdout: ${failure.message}\n`);
      hasFailed = true;
    },
    printJson: (value: unknown): void => output.print(`${safeJson(value)}\n`),
    note: (text: string): void => note(safeText(text)),
    progress: (task: string) =>
      new Progress(task, {
        isTerminal: isErrorTerminal,
        write: note,
        nowMs: () => performance.now(),
      }),
  };
  return output;
}

function columnsOf(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): number | undefined {
  const set = Number(env["COLUMNS"]);
  if (Number.isInteger(set) && set > 0) return set;
  if (!isTerminal) return undefined;
  // A terminal that does not tell its size has none.
  return new WriteStream(STDOUT).columns || 80;
}
