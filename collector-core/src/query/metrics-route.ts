import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";

/** The exposition formats that a scraper may request (spec 4.2, contract 3). */
export type ExpositionFormat = "text" | "openmetrics";

/** A scrape, streamed in chunks. */
export interface Exposition {
  readonly contentType: string;
  readonly body: AsyncIterable<string>;
}

/** Options of {@link metricsRoute}. */
export interface MetricsRouteOptions {
  readonly renderMetrics: (format: ExpositionFormat) => Exposition;
}

/** `GET /metrics`: Prometheus text 0.0.4, or OpenMetrics 1.0 if `Accept` prefers it. */
export async function metricsRoute(
  app: FastifyInstance,
  { renderMetrics }: MetricsRouteOptions,
): Promise<void> {
  app.get(
    "/metrics",
    {
      schema: {
        tags: ["metrics"],
        summary: "All metrics for a Prometheus scraper",
        description:
          "Prometheus text 0.0.4, or OpenMetrics 1.0 if Accept names application/openmetrics-text.",
        response: {
          200: {
            description: "Every metric family.",
            content: {
              "text/plain": { schema: Type.String() },
              "application/openmetrics-text": { schema: Type.String() },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const exposition = renderMetrics(formatFor(request.headers.accept));
      void reply.type(exposition.contentType);
      return await reply.send(Readable.from(exposition.body));
    },
  );
}

/** OpenMetrics if `Accept` lists it with at least the quality of plain text, as Prometheus does. */
export function formatFor(accept: string | undefined): ExpositionFormat {
  let openMetrics = 0;
  let text = 0;
  for (const range of (accept ?? "").toLowerCase().split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
    if (type === "application/openmetrics-text") openMetrics = Math.max(openMetrics, quality);
    if (type === "text/plain") text = Math.max(text, quality);
  }
  return openMetrics > 0 && openMetrics >= text ? "openmetrics" : "text";
}
