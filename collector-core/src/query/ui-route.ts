import staticFiles from "@fastify/static";
import type { FastifyInstance } from "fastify";

/** What {@link uiRoute} needs. */
export interface UiRouteOptions {
  /** The built pages: `index.html`, and `assets/` whose names carry a hash of what is in them. */
  readonly uiDirectory: string;
}

/**
 * Everything comes from the collector itself, and nothing that a span carries can run: no inline script, no frame, no
 * connection elsewhere. Images may be data, for those that messages hold; styles may be inline, for measured widths.
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

/** Paths of pages; each is answered with the one page, whose script shows what the path names. /metrics is the scrape. */
const PAGES = [
  "/",
  "/index.html",
  "/traces",
  "/traces/*",
  "/stats",
  "/evaluations",
  "/pipeline",
  "/settings",
];

/** Beside the pages: what their names carry a hash of, and what comes with it. */
const FILES = ["/assets/*", "/licenses.md", "/fonts-license.txt"];

/** `GET /`: the web UI (contract 3). Its files carry no data and are open. */
export async function uiRoute(app: FastifyInstance, { uiDirectory }: UiRouteOptions): Promise<void> {
  await app.register(staticFiles, {
    root: uiDirectory,
    // It would look through the directory and add a route for every file; one for all of them is found sooner.
    serve: false,
    cacheControl: false,
    setHeaders: (response, path) => {
      void response.header(
        "Cache-Control",
        path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      );
    },
  });
  for (const url of FILES) {
    app.get<{ Params: { "*"?: string } }>(url, { schema: { hide: true } }, async ({ params }, reply) => {
      return await reply.sendFile(url.replace("*", () => params["*"] ?? ""));
    });
  }
  for (const url of PAGES) {
    app.get(url, { schema: { hide: true } }, async (_request, reply) => {
      return await reply
        .headers({
          "Content-Security-Policy": CONTENT_SECURITY_POLICY,
          "Referrer-Policy": "no-referrer",
          "Cross-Origin-Opener-Policy": "same-origin",
          "Cache-Control": "no-cache",
        })
        .sendFile("index.html");
    });
  }
}
