import type { RecordedSpan } from "../span/recorded-span.js";

/** Sets where a span was made: the first frame of a stack, by the path of its URL. */
export function recordSource(span: RecordedSpan, site: { readonly stack?: unknown }): void {
  if (typeof site.stack !== "string") return;
  for (const frame of site.stack.split("\n")) {
    // `at name (https://host/assets/app.js:1:2)`, `at app.js:1:2`
    const [, path, line] =
      /^ +at (?:.*\()?(?:[a-z]+:\/{2,3}[^/]*\/)?([^?#() ]+):(\d+):\d+\)?$/.exec(frame) ?? [];
    if (path === undefined || path.includes("node_modules/")) continue;
    span.setAttribute("code.file.path", path);
    span.setAttribute("code.line.number", Number(line));
    return;
  }
}
