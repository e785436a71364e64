import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { ApiError, type ErrorCode } from "../api-schema/errors.js";
import {
  StoreCompactionSchema,
  StoreInfoSchema,
  StorePrunedSchema,
  StorePruneSchema,
  StoreVerificationSchema,
} from "../api-schema/store.js";
import type { ReadJsonBody, StoredView, StoreMaintenance, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { errorResponses } from "./error-schemas.js";
import { describeStore, type StoreLimits } from "./store-info.js";
import { requiredStore, whenClosed, whileAnswering, withoutTimeLimit } from "./trace-requests.js";
import { requireTrustedClient, type TrustedClients } from "./trusted-client.js";

/** Options of {@link storeRoutes}. */
export interface StoreRoutesOptions extends TrustedClients {
  /** Undefined if `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
  /** Other collectors keep their traces in the same store. */
  readonly isShared: boolean;
  /** Returns undefined while traces are in memory only. */
  readonly maintenance: () => StoreMaintenance | undefined;
  readonly limits: () => StoreLimits;
  /** The saved views, which a backup has too. */
  readonly views: () => Promise<readonly StoredView[]>;
  /** Called after traces were removed. */
  readonly onPruned: () => void;
  readonly readJson: ReadJsonBody;
  /** Version of the collector. */
  readonly version: string;
  readonly clock: Pick<Clock, "now">;
}

/** Maximum size of the body of a task. */
export const MAX_TASK_BYTES = 16 * 1024;
const TAGS = ["store"];
const ACCESS = "Requires an API key, or without `auth.api_keys` a client on the same machine.";
const ERRORS = [
  "invalid_query",
  "loopback_only",
  "trace_store_disabled",
  "trace_store_in_memory",
] as const satisfies readonly ErrorCode[];
/** A task without parameters may have a body, which is read. */
const TASK_ERRORS = [
  ...ERRORS,
  "invalid_json",
  "invalid_payload",
  "invalid_encoding",
  "unsupported_encoding",
  "unsupported_media_type",
  "body_too_large",
  "overloaded",
  "store_busy",
] as const satisfies readonly ErrorCode[];
const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

/** Loosely typed, since the response is a stream. */
const FILE: Record<number, object> = {
  200: { type: "string", format: "binary", description: "The file, an SQLite database." },
};

/** `GET /v1/store` and the tasks on the file of the trace store. */
export const storeRoutes: FastifyPluginAsyncTypebox<StoreRoutesOptions> = async (app, options) => {
  const { store, limits, views, onPruned, version, clock } = options;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    async ({ raw }: FastifyRequest) => await options.readJson(raw),
  );
  app.addHook("preParsing", async (request) =>
    requireTrustedClient(request, options, "the file of the trace store can only be read and changed"),
  );

  function fileOf(traces: TraceStore): StoreMaintenance {
    const maintenance = options.maintenance();
    if (maintenance !== undefined) return maintenance;
    const { reason } = traces.usage();
    throw new ApiError(
      "trace_store_in_memory",
      reason ??
        (options.isShared
          ? "There is no trace file: traces are kept in ClickHouse (trace_store.url)."
          : "Traces are kept in memory only: trace_store.path is not set."),
    );
  }

  app.get(
    "/v1/store",
    {
      schema: {
        tags: TAGS,
        summary: "The file of the trace store",
        description: `What it holds since when, its size and its limits. ${ACCESS}`,
        querystring: NO_PARAMETERS,
        response: { 200: StoreInfoSchema, ...errorResponses(...ERRORS) },
      },
    },
    async (_request, reply) => {
      const traces = requiredStore(store);
      const maintenance = fileOf(traces);
      const file = await maintenance.info(whileAnswering(reply.raw));
      const { state, reason, rebuildProgress } = traces.usage();
      return describeStore(file, {
        ...limits(),
        state,
        reason,
        version,
        task: maintenance.task(),
        rebuild_progress: rebuildProgress,
      });
    },
  );

  app.post(
    "/v1/store/compact",
    {
      schema: {
        tags: TAGS,
        summary: "Give unused space of the file back to the file system",
        description: `Spans are stored meanwhile. It ends when the client disconnects. ${ACCESS}`,
        querystring: NO_PARAMETERS,
        response: { 200: StoreCompactionSchema, ...errorResponses(...TASK_ERRORS) },
      },
    },
    async (request, reply) => {
      const maintenance = fileOf(requiredStore(store));
      const signal = withoutTimeLimit(request, reply.raw);
      const { bytesBefore, bytesAfter } = await maintenance.compact(signal);
      return { bytes_before: bytesBefore, bytes_after: bytesAfter };
    },
  );

  app.post(
    "/v1/store/verify",
    {
      schema: {
        tags: TAGS,
        summary: "Read the whole file and check it",
        description:
          "Checks every table and the checksum of every chunk, and changes nothing. Spans are stored meanwhile. It ends " +
          `when the client disconnects. ${ACCESS}`,
        querystring: NO_PARAMETERS,
        response: { 200: StoreVerificationSchema, ...errorResponses(...TASK_ERRORS) },
      },
    },
    async (request, reply) => {
      const maintenance = fileOf(requiredStore(store));
      const signal = withoutTimeLimit(request, reply.raw);
      const { chunks, damagedChunks, problems } = await maintenance.verify(signal);
      return { chunks, damaged_chunks: damagedChunks, problems: [...problems] };
    },
  );

  app.post(
    "/v1/store/prune",
    {
      preValidation: async ({ body }) => requirePruneBody(body),
      schema: {
        tags: TAGS,
        summary: "Remove old traces",
        description:
          "Removes the traces that had no span for the given time. The file keeps its size: new spans fill the space, and " +
          `\`POST /v1/store/compact\` gives it back. If the client disconnects, the rest is not removed. ${ACCESS}`,
        querystring: NO_PARAMETERS,
        body: StorePruneSchema,
        response: { 200: StorePrunedSchema, ...errorResponses(...TASK_ERRORS) },
      },
    },
    async (request, reply) => {
      const maintenance = fileOf(requiredStore(store));
      const signal = withoutTimeLimit(request, reply.raw);
      try {
        return { pruned: await maintenance.prune(request.body.older_than_seconds, signal) };
      } finally {
        // Also after a failure, which may follow the first removals.
        onPruned();
      }
    },
  );

  app.get(
    "/v1/store/backup",
    {
      // Without a reader, nothing would end the backup.
      exposeHeadRoute: false,
      schema: {
        tags: TAGS,
        summary: "Copy the file",
        description:
          "A copy of the file as it is at the start of the request, streamed as an attachment. To use it, stop the collector " +
          "and put it in the place of `traces.db`. The copy has the saved views, and everything in clear text. A client that reads nothing for 20 " +
          "seconds is disconnected, and so is one that is still reading after 512 MiB were written meanwhile. " +
          ACCESS,
        produces: ["application/vnd.sqlite3"],
        querystring: NO_PARAMETERS,
        response: { ...FILE, ...errorResponses(...ERRORS, "store_busy", "overloaded") },
      },
    },
    async (_request, reply) => {
      const maintenance = fileOf(requiredStore(store));
      const connected = whileAnswering(reply.raw);
      const { bytes, parts } = await maintenance.backup(connected, await views());
      // Also if the response fails before the first part is read.
      whenClosed(reply.raw, () => void parts.return?.());
      void reply
        .type("application/vnd.sqlite3")
        .header("Content-Length", bytes)
        .header("Content-Disposition", `attachment; filename="${fileName(clock.now())}"`)
        .header("Cache-Control", "no-store");
      return await reply.send(Readable.from(parts, { highWaterMark: 1 }));
    },
  );
};

/** Before the schema validator, which reports errors as `invalid_query`. */
function requirePruneBody(body: unknown): void {
  if (Value.Check(StorePruneSchema, body)) return;
  throw new ApiError(
    "invalid_payload",
    'The body must be {"older_than_seconds": seconds}: a number from 0 to 3,155,760,000.',
  );
}

/** A name that is valid on every file system. */
function fileName(nowMs: number): string {
  return `obspan-traces-${new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "-")}.db`;
}
