/** `PRAGMA application_id` of a trace file: "Obsp". */
export const APPLICATION_ID = 0x4f627370;

/** The format of the files that this version writes: `PRAGMA user_version`. */
export const FORMAT_VERSION = 3;

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
  chunk: {
    columns:
      "id INTEGER PRIMARY KEY, traces INTEGER, spans INTEGER, raw_bytes INTEGER, last_ms REAL, last_seq INTEGER, " +
      "codec INTEGER, checksum INTEGER, data BLOB",
    indexes: { chunk_unused: "(id) WHERE traces <= 0" },
    hasCodec: true,
  },
  // Batches of the chunk under way. `spans`: of the chunk up to the end of the row.
  pending: { columns: "id INTEGER PRIMARY KEY, spans INTEGER, checksum INTEGER, bytes BLOB" },
  // `bits` NULL: the chunk may contain any text.
  chunk_signature: { columns: "id INTEGER PRIMARY KEY, bits BLOB", isDerived: true },

  // `checksum`: of the numbers of the row and `trace_detail.key_hash`; NULL if version 2 has written the row last.
  trace: {
    columns:
      "seq INTEGER PRIMARY KEY, value_set INTEGER, start_ms REAL, start_ns INTEGER, duration_ms REAL, cost_usd REAL, " +
      "last_ms REAL, root_hash INTEGER, running_until_ms REAL, checksum INTEGER",
    indexes: {
      trace_by_set: "(value_set, start_ms, duration_ms, cost_usd)",
      trace_by_last: "(last_ms)",
      trace_by_running: "(running_until_ms) WHERE running_until_ms IS NOT NULL",
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
      trace_by_session: "(session_id) WHERE session_id IS NOT NULL",
      trace_by_user: "(user_id) WHERE user_id IS NOT NULL",
    },
    isDerived: true,
    isLarge: true,
  },
  // `labels`: the fields and values as JSON.
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
    columns: "key_hash INTEGER PRIMARY KEY, at_ms REAL, chunk INTEGER, ordinal INTEGER, chunks TEXT",
    indexes: { evicted_by_time: "(at_ms)" },
  },
  // Removed traces whose text is still in some chunks, listed as JSON. Every chunk of the list was closed before the removal.
  erasing: { columns: "id INTEGER PRIMARY KEY, tenant TEXT, trace_id TEXT, chunks TEXT" },

  // Closed steps of the statistics.
  stats_step: {
    columns:
      "resolution INTEGER, start_s INTEGER, format INTEGER, data BLOB, PRIMARY KEY (resolution, start_s)",
  },
  view: { columns: "id TEXT PRIMARY KEY, json TEXT" },
  log_chunk: {
    columns:
      "id INTEGER PRIMARY KEY, records INTEGER, raw_bytes INTEGER, last_ms REAL, codec INTEGER, checksum INTEGER, data BLOB",
    hasCodec: true,
  },
};

/** The statements that create a table with its indexes and triggers. */
export function createTableSql(
  name: string,
  { columns, isWithoutRowid, indexes, hasCodec }: TableDefinition,
): string {
  const options = isWithoutRowid ? "STRICT, WITHOUT ROWID" : "STRICT";
  const statements = [`CREATE TABLE ${name} (${columns}) ${options};`];
  for (const [index, on] of Object.entries(indexes ?? {}))
    statements.push(`CREATE INDEX ${index} ON ${name} ${on};`);
  if (hasCodec)
    for (const [suffix, event] of [
      ["added", "INSERT"],
      ["changed", "UPDATE OF codec"],
    ])
      statements.push(`
        CREATE TRIGGER ${name}_codec_${suffix} AFTER ${event} ON ${name}
        WHEN (SELECT value FROM meta WHERE key = 'codecs') & (1 << new.codec) = 0
        BEGIN UPDATE meta SET value = value | (1 << new.codec) WHERE key = 'codecs'; END;`);
  return statements.join("\n");
}

/** Pages in the write-ahead log from which on a commit copies it into the file. */
export const WAL_PAGES = 2000;

/** Settings that hold while the file is open. */
export const OPEN_PRAGMAS = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA cell_size_check = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA secure_delete = FAST;
  PRAGMA mmap_size = 0;
  PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -16384;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = ${WAL_PAGES};
  PRAGMA journal_size_limit = 67108864;
`;
