/** Longest message: the collector takes no longer one. */
const MAX_LINE_BYTES = 256 * 1024;

/**
 * Reads messages, one a line. A longer line than a message may be is passed on without its end, which is no JSON. While `onLine`
 * takes no more, nothing is read: the client waits.
 */
export async function readMessageLines(
  input: AsyncIterable<Buffer | string>,
  onLine: (line: string) => Promise<void>,
): Promise<void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const end = async (): Promise<void> => {
    const line = Buffer.concat(parts).subarray(0, MAX_LINE_BYTES).toString("utf8").trim();
    parts = [];
    bytes = 0;
    if (line !== "") await onLine(line);
  };
  const add = (part: Buffer): void => {
    if (bytes <= MAX_LINE_BYTES) parts.push(part);
    bytes += part.length;
  };
  for await (const chunk of input) {
    let rest = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (let at = rest.indexOf(0x0a); at >= 0; at = rest.indexOf(0x0a)) {
      add(rest.subarray(0, at));
      await end();
      rest = rest.subarray(at + 1);
    }
    add(rest);
  }
  await end();
}
