import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { RecordedSpan } from "../span/recorded-span.js";

/**
 * Sets where a span was made: the first frame of a stack outside Node and `node_modules`.
 *
 * @param site - has the stack.
 */
export function recordSource(span: RecordedSpan, site: { readonly stack?: unknown }): void {
  if (typeof site.stack !== "string") return;
  for (const frame of site.stack.split("\n")) {
    // `at name (/app/main.js:1:2)`, `at async file:///app/main.js:1:2`
    const [, location = "", line] = /^ +at (.*):(\d+):\d+\)?$/.exec(frame) ?? [];
    const start = location.search(/file:|\/|[A-Z]:\\/);
    const file = location.slice(start);
    if (start < 0 || /node:|[\\/]node_modules[\\/]/.test(location)) continue;
    const path = file.startsWith("file:") ? fileURLToPath(file) : file;
    span.setAttribute("code.file.path", relative(process.cwd(), path).replaceAll(sep, "/"));
    span.setAttribute("code.line.number", Number(line));
    return;
  }
}
