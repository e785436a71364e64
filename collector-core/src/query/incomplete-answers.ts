import type { FastifyInstance } from "fastify";
import type { TraceStoreUsage } from "../interfaces.js";

/** Tells clients that traces may be missing in a response. */
const HEADER = "X-Obspan-Incomplete";

/** Marks the responses of every route about traces while the store rebuilds its index, so that no route can forget it. */
export function markIncompleteAnswers(
  app: FastifyInstance,
  storeUsage: (() => Pick<TraceStoreUsage, "rebuildProgress">) | undefined,
): void {
  if (storeUsage === undefined) return;
  app.addHook("onRequest", (request, reply, done) => {
    const isAboutTraces = request.routeOptions.schema?.tags?.includes("traces") === true;
    if (isAboutTraces && storeUsage().rebuildProgress !== null) void reply.header(HEADER, "rebuild");
    done();
  });
}
