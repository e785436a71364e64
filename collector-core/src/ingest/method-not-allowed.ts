import type { FastifyInstance, HTTPMethods } from "fastify";
import { ApiError } from "../api-schema/errors.js";

const METHODS: readonly HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Prepares the answer 405 with `Allow` for paths that exist and do not take the method (contract 2).
 *
 * @param ingestPaths - paths that take POST and are answered elsewhere.
 * @returns adds the answers: to be called when all routes are there.
 */
export function collectMethods(app: FastifyInstance, ingestPaths: readonly string[]): () => void {
  const taken = new Map<string, Set<string>>(ingestPaths.map((path) => [path, new Set(["POST"])]));
  let collecting = true;
  app.addHook("onRoute", ({ url, method }) => {
    if (!collecting) return;
    const methods = taken.get(url) ?? new Set<string>();
    for (const each of [method].flat()) methods.add(each);
    taken.set(url, methods);
  });
  return () => {
    collecting = false;
    for (const [url, methods] of taken) {
      const allow = [...methods].toSorted().join(", ");
      app.route({
        url,
        method: METHODS.filter((method) => !methods.has(method)),
        schema: { hide: true },
        handler: () => undefined,
        onRequest: async ({ method }) => {
          throw new ApiError(
            "method_not_allowed",
            `${url} takes ${allow}, not ${method}.`,
            { allow },
            { Allow: allow },
          );
        },
      });
    }
  };
}
