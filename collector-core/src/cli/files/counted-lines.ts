import { byteSizeText } from "../../api-schema/byte-size.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { CommandFailure, EXIT } from "../command-failure.js";

/** A line break, or the id of a trace. */
const MARKS = /\n|"traceId":"([0-9a-f]{32})"/g;
/** No match of them is longer. */
const MARK_LENGTH = 44;

/** Counts the lines of an export and the traces in them. A line has spans of one trace, and the lines of a trace follow each other. */
export class CountedLines {
  traces = 0;
  lines = 0;
  bytes = 0;
  readonly #onProgress: (lines: number, bytes: number) => void;
  /** The end of the text so far, in which the id of a trace may begin. */
  #rest = "";
  /** The trace of the line before, or of this one. */
  #traceId = "";
  /** A line names other traces too, in the links of its spans: the first one is its own. */
  #isTraceKnown = false;

  constructor(onProgress: (lines: number, bytes: number) => void) {
    this.#onProgress = onProgress;
  }

  /** The parts as they are. @throws CommandFailure if they are cut off, or if there is no trace. */
  async *of(parts: AsyncIterable<string>): AsyncGenerator<string> {
    try {
      for await (const part of parts) {
        this.#count(part);
        yield part;
      }
    } catch (error) {
      const reason = errorMessage(error);
      throw new CommandFailure(`The export was cut off after ${byteSizeText(this.bytes)}: ${reason}.`, {
        cause: error,
        exitCode: EXIT.away,
      });
    }
    if (this.traces === 0) throw new CommandFailure("No trace matches.", { exitCode: EXIT.nothing });
  }

  #count(part: string): void {
    this.bytes += Buffer.byteLength(part);
    const text = this.#rest + part;
    let end = 0;
    for (const match of text.matchAll(MARKS)) {
      end = match.index + match[0].length;
      this.#mark(match[1]);
    }
    this.#rest = text.slice(Math.max(end, text.length - MARK_LENGTH));
    this.#onProgress(this.lines, this.bytes);
  }

  /** @param traceId - undefined for a line break. */
  #mark(traceId: string | undefined): void {
    if (traceId === undefined) this.lines++;
    else if (!this.#isTraceKnown && traceId !== this.#traceId) {
      this.traces++;
      this.#traceId = traceId;
    }
    this.#isTraceKnown = traceId !== undefined;
  }
}
