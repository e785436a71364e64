import staticFiles from "@fastify/static";
import type { FastifyInstance } from "fastify";
import type { Stats } from "node:fs";
import type { IncomingMessage } from "node:http";
import { ignoreInvalidRange } from "./range-header.js";

/** Options of {@link uiRoute}. */
export interface UiRouteOptions {
  /** The built pages: `index.html`, and `assets/` with a content hash in each name. */
  readonly uiDirectory: string;
}

/**
 * Allows only the collector as a source, so that no content of a span can run: no inline script, no frame, no other host.
 * Images may be data URLs, since messages contain images. Styles may be inline, for measured widths.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Paths of the single-page app. `/metrics` is not among them: it serves the scrape. */
const PAGES = [
  "/",
  "/index.html",
  "/traces",
  "/traces/*",
  "/sessions",
  "/sessions/*",
  "/stats",
  "/evaluations",
  "/compare",
  "/pipeline",
  "/settings",
];

/** Static files of the app. */
const FILES = ["/assets/*", "/licenses.md", "/fonts-license.txt"];

/** `GET /`: the web UI (contract 3). Its files contain no data and need no key. */
export async function uiRoute(app: FastifyInstance, { uiDirectory }: UiRouteOptions): Promise<void> {
  await app.register(staticFiles, {
    root: uiDirectory,
    // Avoids a directory scan and one route per file.
    serve: false,
    // The build writes a copy of each text file as brotli and as gzip beside it.
    preCompressed: true,
    cacheControl: false,
    setHeaders: (response, path) => {
      void response.header(
        "Cache-Control",
        path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      );
    },
  });
  for (const url of FILES) {
    app.get<{ Params: { "*"?: string } }>(url, { schema: { hide: true } }, async ({ params, raw }, reply) => {
      return await reply.sendFile(
        url.replace("*", () => params["*"] ?? ""),
        beforeSending(raw),
      );
    });
  }
  for (const url of PAGES) {
    app.get(url, { schema: { hide: true } }, async ({ raw }, reply) => {
      return await reply
        .headers({
          "Content-Security-Policy": CONTENT_SECURITY_POLICY,
          "Referrer-Policy": "no-referrer",
          "Cross-Origin-Opener-Policy": "same-origin",
          "Cache-Control": "no-cache",
        })
        .sendFile("index.html", beforeSending(raw));
    });
  }
}

function beforeSending(request: IncomingMessage) {
  return { onFile: (_path: string, { size }: Stats): void => ignoreInvalidRange(request, size) };
}
