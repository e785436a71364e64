import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { invalidQuery, quoteValue } from "../api-schema/errors.js";
import {
  StatsQuerySchema,
  StatsSchema,
  type Stats,
  type StatsGroup,
  type StatsQuery,
} from "../api-schema/stats.js";
import { errorResponses } from "./error-schemas.js";
import { whileConnected } from "./trace-requests.js";

const StatsParameters = Type.Object(StatsQuerySchema.properties, { additionalProperties: false });

/** A label to filter and group statistics by. */
type StatsLabel = Exclude<StatsGroup, "tool">;

/** A query with its defaults. */
export interface StatsRequest {
  readonly windowSeconds: number;
  readonly stepSeconds: number;
  readonly groupBy: StatsLabel | undefined;
  readonly groups: number;
  readonly filters: Readonly<Partial<Record<StatsLabel, string>>>;
}

/** Options of {@link statsRoute}. */
export interface StatsRouteOptions {
  readonly read: (request: StatsRequest, signal: AbortSignal) => Promise<Stats>;
}

/** `GET /v1/stats`: windowed series over all spans, including unsampled ones (contract 3). */
export const statsRoute: FastifyPluginAsyncTypebox<StatsRouteOptions> = async (app, { read }) => {
  app.get(
    "/v1/stats",
    {
      schema: {
        tags: ["metrics"],
        summary: "Statistics over time",
        description:
          "Calls, errors, latency, tokens, cost and scores of all spans, including unsampled ones, in steps of 10 s over the " +
          "last hour and of one minute over the last day; and the counters of the pipeline.",
        querystring: StatsParameters,
        response: { 200: StatsSchema, ...errorResponses("invalid_query", "invalid_tenant") },
      },
    },
    async ({ query }, reply) => await read(toStatsRequest(query), whileConnected(reply.raw)),
  );
};

const HOUR = 3600;
const DAY = 24 * HOUR;
const FINE_STEP = 10;
const MINUTE = 60;
const MAX_POINTS = 1440;

/** Fills in the defaults of a query. @throws `ApiError` invalid_query. */
export function toStatsRequest({
  window = "1h",
  step,
  group_by,
  groups = 10,
  ...filters
}: StatsQuery): StatsRequest {
  const windowSeconds = secondsOf("window", window);
  if (windowSeconds < FINE_STEP || windowSeconds > DAY) {
    throw invalidQuery(`window must be from ${FINE_STEP} s to 24 h, not ${quoteValue(window)}`);
  }
  const { tool, ...labels } = filters;
  return {
    windowSeconds,
    stepSeconds: step === undefined ? defaultStep(windowSeconds) : checkedStep(step, windowSeconds),
    groupBy: group_by === "tool" ? "tool_name" : group_by,
    groups,
    filters: { ...labels, ...(tool === undefined ? {} : { tool_name: tool }) },
  };
}

function checkedStep(text: string, windowSeconds: number): number {
  const step = secondsOf("step", text);
  const unit = windowSeconds > HOUR ? MINUTE : FINE_STEP;
  if (step === 0 || step % unit !== 0 || step > windowSeconds) {
    throw invalidQuery(
      `step must be a multiple of ${unit} s and no longer than the window of ${windowSeconds} s, not ${quoteValue(text)}`,
    );
  }
  if (windowSeconds / step > MAX_POINTS)
    throw invalidQuery(
      `a step of ${step} s gives more than ${MAX_POINTS} points; use a longer step or a shorter window`,
    );
  return step;
}

/** Default steps, with readable ticks on an axis. */
const STEPS = [10, 30, 60, 300, 1200] as const;
const DEFAULT_POINTS = 75;

function defaultStep(windowSeconds: number): number {
  return STEPS.find((step) => windowSeconds / step <= DEFAULT_POINTS) ?? STEPS[STEPS.length - 1] ?? FINE_STEP;
}

const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ "": 1, s: 1, m: MINUTE, h: HOUR, d: DAY }),
);

function secondsOf(name: string, text: string): number {
  const [, digits, unit = ""] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  if (digits === undefined)
    throw invalidQuery(
      `${name} must be a number of seconds, or a number with the unit s, m, h or d, such as 300, 5m or 1h, up to 24 h, not ${quoteValue(text)}`,
    );
  return Number(digits) * (UNITS.get(unit) ?? 1);
}
