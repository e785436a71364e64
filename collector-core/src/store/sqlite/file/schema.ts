/** `PRAGMA application_id` of a trace file: "Obsp". */
export const APPLICATION_ID = 0x4f627370;

/** The format of the files that this version writes: `PRAGMA user_version`. */
export const FORMAT_VERSION = 4;

/**
 * Greatest id of a chunk. The places of spans in memory have 32 bits. That many chunks of 64 KiB are 64 TiB.
 */
export const MAX_CHUNK_ID = 2 ** 30;

/** What a value set says about the spans of a trace. `label.field` has these names. */
export const LABEL_FIELDS = [
  "tenant",
  "service",
  "env",
  "version",
  "agent",
  "model",
  "provider",
  "tool",
  "status",
  "error_type",
  "span_type",
  "evaluation",
  "evaluation_type",
  "prompt",
  "prompt_name",
  "prompt_version",
  "has",
] as const;
/** One of {@link LABEL_FIELDS}. */
export type LabelField = (typeof LABEL_FIELDS)[number];

/** A table and its indexes. */
interface TableDefinition {
  readonly columns: string;
  readonly isWithoutRowid?: true;
  /** Columns, and a condition for a partial index, by name of the index. */
  readonly indexes?: Readonly<Record<string, string>>;
  /** Has a row for each trace, by `seq`: it is checked in ranges. */
  readonly isLarge?: true;
  /** Its column `codec` names codecs, which `meta` remembers. */
  readonly hasCodec?: true;
  /** Its content follows from the chunks, so a rebuild empties it. */
  readonly isDerived?: true;
}

/**
 * The tables of a trace file. A chunk is about 64 KiB of batches as they are kept, compressed. Everything about stored traces
 * derives from the chunks.
 *
 * A large BLOB is the last column: SQLite reads the columns before it without the pages of the BLOB.
 */
export const TABLES: Readonly<Record<string, TableDefinition>> = {
  // The id of the store, the seed of the key hashes, when the file was created, the clocks at the last commit.
  meta: { columns: "key TEXT PRIMARY KEY, value ANY" },

  // `traces`: live traces with spans in it; at 0 the chunk is deleted. `last_seq`: the newest trace when it was closed.
  // `row_checksum`: of the numbers before it; NULL if version 3 has written the row last.
  chunk: {
    columns:
      "id INTEGER PRIMARY KEY, traces INTEGER, spans INTEGER, raw_bytes INTEGER, last_ms REAL, last_seq INTEGER, " +
      "row_checksum INTEGER, codec INTEGER, checksum INTEGER, data BLOB",
    indexes: { chunk_unused: "(id) WHERE traces <= 0" },
    hasCodec: true,
  },
  // Batches of the chunk under way. `spans`: of the chunk up to the end of the row. `raw_bytes`: NULL if they are not compressed.
  pending: {
    columns: "id INTEGER PRIMARY KEY, spans INTEGER, raw_bytes INTEGER, checksum INTEGER, bytes BLOB",
  },
  // `bits` NULL: the chunk may contain any text.
  chunk_signature: { columns: "id INTEGER PRIMARY KEY, bits BLOB", isDerived: true },

  // `session`: a hash of tenant and session; NULL without one. `checksum`: of the numbers of the row and `trace_detail.key_hash`;
  // NULL if version 2 has written the row last.
  trace: {
    columns:
      "seq INTEGER PRIMARY KEY, value_set INTEGER, start_ms REAL, start_ns INTEGER, duration_ms REAL, cost_usd REAL, " +
      "tokens_input REAL, tokens_output REAL, ttft_ms REAL, last_ms REAL, root_hash INTEGER, running_until_ms REAL, " +
      "session INTEGER, checksum INTEGER",
    indexes: {
      trace_by_set: "(value_set, start_ms, duration_ms, cost_usd)",
      trace_by_last: "(last_ms)",
      trace_by_running: "(running_until_ms) WHERE running_until_ms IS NOT NULL",
      session_by_start: "(session, start_ms, start_ns) WHERE session IS NOT NULL",
      session_by_end: "(start_ms + duration_ms) WHERE session IS NOT NULL",
    },
    isDerived: true,
    isLarge: true,
  },
  trace_detail: {
    columns:
      "seq INTEGER PRIMARY KEY, key_hash INTEGER, tenant TEXT, trace_id TEXT, session_id TEXT, " +
      "user_id TEXT, summary TEXT, state TEXT, spans BLOB",
    indexes: {
      trace_by_key: "(key_hash)",
      trace_by_session: "(session_id, tenant) WHERE session_id IS NOT NULL",
      trace_by_user: "(user_id) WHERE user_id IS NOT NULL",
    },
    isDerived: true,
    isLarge: true,
  },
  // `labels`: the fields and values as JSON. `hash`: of them, which also finds their damage.
  value_set: {
    columns: "id INTEGER PRIMARY KEY, hash INTEGER, labels TEXT",
    indexes: { value_set_by_hash: "(hash)" },
    isDerived: true,
  },
  label: {
    columns: "id INTEGER PRIMARY KEY, field TEXT, value TEXT, UNIQUE (field, value)",
    isDerived: true,
  },
  value_set_label: {
    columns: "label INTEGER, value_set INTEGER, PRIMARY KEY (label, value_set)",
    isWithoutRowid: true,
    isDerived: true,
  },
  // The latest evaluations, each with a checksum. They outlive their traces, so that a rebuild keeps them.
  evaluation: {
    columns: "seq INTEGER PRIMARY KEY AUTOINCREMENT, trace_hash INTEGER, ended_ms REAL, json TEXT",
  },
  // Traces that are gone for good: their spans before a place, and the chunks that may have text of them, as JSON.
  evicted: {
    columns:
      "key_hash INTEGER PRIMARY KEY, at_ms REAL, chunk INTEGER, ordinal INTEGER, chunks TEXT, checksum INTEGER",
    indexes: { evicted_by_time: "(at_ms)" },
  },
  // Removed traces whose text is still in some chunks, listed as JSON with a checksum. Every chunk of the list was closed before the removal.
  erasing: { columns: "id INTEGER PRIMARY KEY, tenant TEXT, trace_id TEXT, chunks TEXT" },

  // Closed steps of the statistics.
  stats_step: {
    columns:
      "resolution INTEGER, start_s INTEGER, format INTEGER, checksum INTEGER, data BLOB, " +
      "PRIMARY KEY (resolution, start_s)",
  },
  view: { columns: "id TEXT PRIMARY KEY, json TEXT" },
  log_chunk: {
    columns:
      "id INTEGER PRIMARY KEY, records INTEGER, raw_bytes INTEGER, last_ms REAL, codec INTEGER, checksum INTEGER, data BLOB",
    hasCodec: true,
  },
};

/** A table, or an index or a trigger of one. */
export interface SchemaObject {
  readonly type: "table" | "index" | "trigger";
  readonly name: string;
  readonly table: string;
  /** The statement that creates it. */
  readonly sql: string;
}

/** A table with its indexes and triggers. */
export function schemaOf(
  name: string,
  { columns, isWithoutRowid, indexes, hasCodec }: TableDefinition,
): SchemaObject[] {
  const options = isWithoutRowid ? "STRICT, WITHOUT ROWID" : "STRICT";
  const objects: SchemaObject[] = [
    { type: "table", name, table: name, sql: `CREATE TABLE ${name} (${columns}) ${options}` },
  ];
  for (const [index, on] of Object.entries(indexes ?? {}))
    objects.push({ type: "index", name: index, table: name, sql: `CREATE INDEX ${index} ON ${name} ${on}` });
  if (hasCodec)
    for (const [suffix, event] of [
      ["added", "INSERT"],
      ["changed", "UPDATE OF codec"],
    ])
      objects.push({
        type: "trigger",
        name: `${name}_codec_${suffix}`,
        table: name,
        sql: `CREATE TRIGGER ${name}_codec_${suffix} AFTER ${event} ON ${name}
        WHEN (SELECT value FROM meta WHERE key = 'codecs') & (1 << new.codec) = 0
        BEGIN UPDATE meta SET value = value | (1 << new.codec) WHERE key = 'codecs'; END`,
      });
  return objects;
}

/** The statements that create a table with its indexes and triggers. */
export function createTableSql(name: string, table: TableDefinition): string {
  return schemaOf(name, table)
    .map(({ sql }) => `${sql};`)
    .join("\n");
}

/**
 * The size of a page in new files. A commit writes each page that it changes: at few requests a second, larger pages are twice the
 * bytes. Earlier versions made files with pages of 4096 bytes.
 */
export const PAGE_BYTES = 2048;

/** Bytes in the write-ahead log from which on a commit copies it into the file: a step of some milliseconds. */
const LOG_BYTES = 2 ** 22;

/** The setting of {@link LOG_BYTES}, which counts pages. */
export function checkpointPragma(pageBytes: number): string {
  return `PRAGMA wal_autocheckpoint = ${Math.floor(LOG_BYTES / pageBytes)}`;
}

/** Settings that hold while the file is open. */
export function openPragmas(pageBytes: number): string {
  return `
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cell_size_check = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA secure_delete = FAST;
    PRAGMA mmap_size = 0;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16384;
    PRAGMA synchronous = NORMAL;
    ${checkpointPragma(pageBytes)};
    PRAGMA journal_size_limit = 67108864;
  `;
}
