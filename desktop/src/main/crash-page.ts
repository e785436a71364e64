import { createHash } from "node:crypto";

/** What the page says that replaces one whose process has ended. */
export interface CrashPage {
  /** The system's word for it, such as `crashed` or `oom`. */
  readonly reason: string;
  readonly reloadUrl: string;
  readonly restartUrl: string;
  /** Undefined if there is none. */
  readonly logFile: string | undefined;
  readonly logTail: string;
}

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 48px auto; max-width: 860px; padding: 0 24px; }
a { margin-right: 16px; }
pre { overflow: auto; max-height: 50vh; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

/** A page without script, as a URL: it needs neither the collector nor the process that ended. */
export function crashPageUrl({ reason, reloadUrl, restartUrl, logFile, logTail }: CrashPage): string {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(POLICY)}">
<title>The page stopped – Obspan</title>
<style>${STYLE}</style>
<main>
<h1>The page stopped working</h1>
<p>Its process ended (${escaped(reason)}). The collector keeps running: no span is lost by this.</p>
<p><a href="${escaped(reloadUrl)}">Reload the page</a> <a href="${escaped(restartUrl)}">Restart Obspan</a></p>
<h2>The end of the log</h2>
<p>${escaped(logFile ?? "There is no log file.")}</p>
<pre tabindex="0">${escaped(logTail)}</pre>
</main>
</html>`;
  return `data:text/html;charset=utf-8;base64,${Buffer.from(html).toString("base64")}`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES.get(character) ?? "");
}
