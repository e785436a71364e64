import type { IncomingMessage } from "node:http";

const RANGE = /^(\d*)-(\d*)$/;

/**
 * Removes a Range header that a server must ignore (RFC 9110, 14.2): one that is not valid, and that of a method other than
 * GET. `@fastify/send` reads numbers from any text, and takes other ranges for unsatisfiable ones. A range of the last bytes
 * that is longer than the file is the whole file, so the header of such a range is removed too.
 */
export function ignoreInvalidRange({ method, headers }: IncomingMessage, fileBytes: number): void {
  const { range } = headers;
  if (range !== undefined && (method !== "GET" || !isUsable(range, fileBytes))) delete headers.range;
}

function isUsable(header: string, fileBytes: number): boolean {
  const [unit, list, ...rest] = header.split("=");
  if (unit?.trim() !== "bytes" || list === undefined || rest.length > 0) return false;
  return list.split(",").every((range) => {
    const [, first = "", last = ""] = RANGE.exec(range.trim()) ?? [];
    if (first === "") return last !== "" && Number(last) <= fileBytes;
    return last === "" || Number(first) <= Number(last);
  });
}
