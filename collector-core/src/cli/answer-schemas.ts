import { Type, type TSchema } from "typebox";
import { Value } from "typebox/value";
import { TraceComparisonSchema } from "../api-schema/compare.js";
import { CallContextSchema } from "../api-schema/context.js";
import { TraceGroupsSchema } from "../api-schema/groups.js";
import { ImportResultSchema } from "../api-schema/import.js";
import { SessionListSchema } from "../api-schema/sessions.js";
import { StatsSchema } from "../api-schema/stats.js";
import {
  StoreCompactionSchema,
  StoreInfoSchema,
  StorePrunedSchema,
  StoreVerificationSchema,
} from "../api-schema/store.js";
import { AcceptedSchema } from "../api-schema/telemetry.js";
import {
  NormalizedSpanSchema,
  TraceDetailSchema,
  TraceListSchema,
  TraceSummarySchema,
} from "../api-schema/trace.js";

/** What commands read, by method and route. */
const SCHEMAS: ReadonlyMap<string, TSchema> = new Map<string, TSchema>([
  ["GET /v1/traces", TraceListSchema],
  ["GET /v1/trace", TraceDetailSchema],
  ["GET /v1/span", NormalizedSpanSchema],
  ["GET /v1/context", CallContextSchema],
  ["GET /v1/compare", TraceComparisonSchema],
  ["GET /v1/groups", TraceGroupsSchema],
  ["GET /v1/sessions", SessionListSchema],
  ["GET /v1/stats", StatsSchema],
  ["POST /v1/telemetry", AcceptedSchema],
  // OTLP's own answer, of which every field may be missing.
  ["POST /v1/traces", Type.Object({ partialSuccess: Type.Optional(Type.Object({})) })],
  ["POST /v1/import", ImportResultSchema],
  ["GET /v1/store", StoreInfoSchema],
  ["POST /v1/store/compact", StoreCompactionSchema],
  ["POST /v1/store/verify", StoreVerificationSchema],
  ["POST /v1/store/prune", StorePrunedSchema],
  // Each trace of the feed is an answer.
  ["GET /v1/live", TraceSummarySchema],
]);

/** The first place of an answer that is not as its schema says; undefined if there is none, or no schema. */
export function unexpectedPlace(route: string, answer: unknown): string | undefined {
  const schema = SCHEMAS.get(route);
  if (schema === undefined || Value.Check(schema, answer)) return undefined;
  const [first] = Value.Errors(schema, answer);
  return first?.instancePath || "the value";
}
