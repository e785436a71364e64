import { Type, type Static } from "typebox";

const Bytes = (description: string) => Type.Number({ description });

/** The response of `GET /v1/store`. */
export const StoreInfoSchema = Type.Object(
  {
    directory: Type.String({ description: "Directory of the file." }),
    state: Type.Union([Type.Literal("ok"), Type.Literal("degraded")], {
      description: "`degraded` while the store cannot keep new spans.",
    }),
    reason: Type.Union([Type.String(), Type.Null()], { description: "Why it is degraded." }),
    traces: Type.Integer(),
    spans: Type.Integer(),
    evaluations: Type.Integer(),
    kept_since: Type.Union([Type.String(), Type.Null()], {
      description: "RFC 3339: the last span of the oldest trace; null without traces.",
    }),
    newest: Type.Union([Type.String(), Type.Null()], {
      description: "RFC 3339: the last span of the newest trace; null without traces.",
    }),
    disk_bytes: Bytes(
      "Size of the file, its write-ahead log and the space that is held for work on a full disk.",
    ),
    log_bytes: Bytes("Size of the write-ahead log."),
    reusable_bytes: Bytes(
      "Part of the file that new spans fill before it grows. `POST /v1/store/compact` gives it back to the file system.",
    ),
    raw_bytes: Bytes("Size of the kept batches before compression."),
    disk_max_bytes: Bytes("`trace_store.disk_max_bytes`: the oldest traces go beyond it."),
    disk_min_free_bytes: Bytes("`trace_store.disk_min_free_bytes`: nothing is stored below."),
    free_bytes: Type.Union([Type.Number(), Type.Null()], {
      description: "What the file system has left; null if it does not tell.",
    }),
    ttl_seconds: Type.Integer({ description: "`trace_store.ttl_seconds`; 0 if traces do not expire." }),
    max_traces: Type.Union([Type.Integer(), Type.Null()], {
      description: "`limits.max_traces`; null if only the size of the file limits the store.",
    }),
    created_at: Type.String({ description: "RFC 3339: when the file was created." }),
    format_version: Type.Integer({ description: "Version of the layout of the file." }),
    sqlite_version: Type.String(),
    driver: Type.Union([Type.Literal("node:sqlite"), Type.Literal("wasm")], {
      description: "The implementation of SQLite.",
    }),
    version: Type.String({ description: "Version of the program that reads the file." }),
    task: Type.Union(
      [
        Type.Literal("compact"),
        Type.Literal("verify"),
        Type.Literal("prune"),
        Type.Literal("backup"),
        Type.Literal("rebuild"),
        Type.Null(),
      ],
      { description: "The task under way, of which one runs at a time. A `rebuild` begins by itself." },
    ),
    rebuild_progress: Type.Union([Type.Number(), Type.Null()], {
      description:
        "The share of the file that is indexed again, from 0 to 1, after a change of its format. Until then traces are missing in " +
        "`traces` and in every answer. Null if the index is complete.",
    }),
  },
  { $id: "StoreInfo" },
);
export type StoreInfo = Static<typeof StoreInfoSchema>;

/** The response of `POST /v1/store/compact`. */
export const StoreCompactionSchema = Type.Object(
  {
    bytes_before: Bytes("Size of the file before."),
    bytes_after: Bytes("Size of the file after."),
  },
  { $id: "StoreCompaction" },
);
export type StoreCompaction = Static<typeof StoreCompactionSchema>;

/** The response of `POST /v1/store/verify`. */
export const StoreVerificationSchema = Type.Object(
  {
    chunks: Type.Integer({ description: "Checked chunks of spans." }),
    damaged_chunks: Type.Integer(),
    problems: Type.Array(Type.String(), {
      description: "One line for each damage, at most 100. Empty if the file is sound.",
    }),
  },
  { $id: "StoreVerification" },
);
export type StoreVerification = Static<typeof StoreVerificationSchema>;

/** A hundred years. */
const MAX_AGE_SECONDS = 3_155_760_000;

/** The body of `POST /v1/store/prune`. */
export const StorePruneSchema = Type.Object(
  {
    older_than_seconds: Type.Number({
      minimum: 0,
      maximum: MAX_AGE_SECONDS,
      description: "Traces without a span for that time are removed; 0 removes all.",
    }),
  },
  { $id: "StorePrune", additionalProperties: false },
);
export type StorePrune = Static<typeof StorePruneSchema>;

/** The response of `POST /v1/store/prune`. */
export const StorePrunedSchema = Type.Object(
  { pruned: Type.Integer({ description: "Removed traces." }) },
  { $id: "StorePruned" },
);
export type StorePruned = Static<typeof StorePrunedSchema>;
