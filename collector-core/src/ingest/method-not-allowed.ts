import type { FastifyInstance, HTTPMethods } from "fastify";
import { ApiError } from "../api-schema/errors.js";

const METHODS: readonly HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Collects the methods of every path, to answer other methods with 405 and `Allow` (contract 2).
 *
 * @param ingestPaths - paths that accept POST and are not routes of Fastify.
 * @returns a function that adds the 405 routes; call it after all routes are added.
 */
export function collectMethods(app: FastifyInstance, ingestPaths: readonly string[]): () => void {
  const methodsByPath = new Map<string, Set<string>>(ingestPaths.map((path) => [path, new Set(["POST"])]));
  let collecting = true;
  app.addHook("onRoute", ({ url, method }) => {
    if (!collecting) return;
    const methods = methodsByPath.get(url) ?? new Set<string>();
    for (const each of [method].flat()) methods.add(each);
    methodsByPath.set(url, methods);
  });
  return () => {
    collecting = false;
    for (const [url, methods] of methodsByPath) {
      const allow = [...methods].toSorted().join(", ");
      app.route({
        url,
        method: METHODS.filter((method) => !methods.has(method)),
        schema: { hide: true },
        handler: () => undefined,
        onRequest: async ({ method }) => {
          throw new ApiError(
            "method_not_allowed",
            `${url} accepts ${allow}, not ${method}.`,
            { allow },
            { Allow: allow },
          );
        },
      });
    }
  };
}
