import { createHash } from "node:crypto";
import { escapeHtml } from "./escape.js";
import { STYLES } from "./styles.js";

/**
 * Nothing but the style sheet of the file and pictures inside it: no script runs, whatever a span says, and nothing is
 * fetched. The data is a block of JSON, which no browser runs.
 */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLES).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The beginning of a file, up to what its page shows. */
export function documentHead(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLES}</style>
</head>
<body>
`;
}
