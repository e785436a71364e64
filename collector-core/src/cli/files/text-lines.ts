import type { Readable } from "node:stream";
import { CommandFailure } from "../command-failure.js";

/** Longest line that is read. The collector takes no longer body. */
const MAX_LENGTH = 256 * 2 ** 20;

/**
 * The lines of a text, which end with LF, CRLF or CR. Fails with the stream.
 *
 * @param maxLength - characters of a line: a text without line ends must not fill the memory.
 * @throws CommandFailure at a longer line.
 */
export async function* textLines(stream: Readable, maxLength: number = MAX_LENGTH): AsyncGenerator<string> {
  stream.setEncoding("utf8");
  /** The line so far. */
  let parts: string[] = [];
  let length = 0;
  let endedWithReturn = false;
  for await (const part of stream as AsyncIterable<string>) {
    // This line feed belongs to the carriage return before it.
    const text = endedWithReturn && part.startsWith("\n") ? part.slice(1) : part;
    endedWithReturn = part.endsWith("\r");
    const [first = "", ...others] = text.split(/\r\n|\n|\r/);
    parts.push(first);
    length += first.length;
    for (const line of others) {
      yield parts.join("");
      parts = [line];
      ({ length } = line);
    }
    if (length > maxLength)
      throw new CommandFailure(`A line is longer than ${maxLength.toLocaleString("en-US")} characters.`);
  }
  if (length > 0) yield parts.join("");
}
