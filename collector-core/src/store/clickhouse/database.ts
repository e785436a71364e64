import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ClickHouseError, createClient, parseError } from "@clickhouse/client";
import { appendAll } from "../../runtime/append-all.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { storeUnavailable } from "../store-unavailable.js";
import { splitLists, type Parameters } from "./long-lists.js";

/** Where and how to reach ClickHouse. */
export interface DatabaseOptions {
  /** `trace_store.url`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Undefined: that of the user, before the database of the store exists. */
  readonly database: string | undefined;
}

/** A database of ClickHouse. Values reach it as parameters only, never in the text of a statement. A list may have any length. */
export interface Database {
  /**
   * The rows of a query.
   *
   * @throws the reason of the signal; `ApiError` `trace_store_unavailable` if ClickHouse does not answer in time.
   */
  rows<Row>(sql: string, parameters?: Parameters, signal?: AbortSignal): Promise<Row[]>;
  /** The same, some rows at a time, for an answer that is too large to be held. */
  stream<Row>(sql: string, parameters?: Parameters, signal?: AbortSignal): AsyncIterable<readonly Row[]>;
  /**
   * Adds rows to a table, which have the same columns in the same order. Resolves when ClickHouse has them.
   *
   * @throws {@link RefusedRowsError} if it cannot read one of them.
   */
  insert(table: string, rows: readonly object[], signal?: AbortSignal): Promise<void>;
  /** Runs a statement without an answer. @throws `ApiError` `trace_store_unavailable` if ClickHouse does not answer. */
  run(sql: string, parameters?: Parameters, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** ClickHouse cannot read one of the rows of an insert: sending them again does not help. */
export class RefusedRowsError extends Error {
  override readonly name = "RefusedRowsError";

  constructor(
    /** Of ClickHouse. */
    readonly code: string,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}

/** A query that takes longer is given up, and so is one whose next rows take that long. */
const QUERY_SECONDS = 10;
const LATE = `ClickHouse has not answered within ${QUERY_SECONDS} seconds.`;
/** An insert waits for merges, and a migration for other replicas. */
const REQUEST_MS = 60_000;

/** Characters of rows that are written in one turn of the event loop: about a millisecond. */
const PIECE_LENGTH = 128 * 1024;

/** Codes of ClickHouse for a value or a row that it cannot read. */
const UNREADABLE = new Set(["6", "25", "26", "27", "33", "38", "41", "53", "69", "72", "117", "130", "131"]);
/** Codes of a mistake in the statement. Every other one may pass: no memory, too many queries, no such table yet. */
const MISTAKES = new Set(["42", "43", "44", "46", "47", "62", "386", "456", "457", ...UNREADABLE]);

/** Settings of all statements. */
const SETTINGS = {
  // The largest number that is read is a time with 12 more bits, which a double holds exactly.
  output_format_json_quote_64bit_integers: 0,
  // The batch is acknowledged when ClickHouse has it.
  async_insert: 0,
  // With the progress, the status is told before the statement has ended, whatever comes of it.
  send_progress_in_http_headers: 0,
  // Spans of an import or of a long outage are of many days, and traces of many days may get a span at once.
  max_partitions_per_insert_block: "0",
} as const;

/** Settings of queries. One whose client has left is ended, which ClickHouse does for `readonly` ones only. */
const QUERY_SETTINGS = {
  max_execution_time: QUERY_SECONDS,
  readonly: "2",
  // What fails after the first rows would end the answer with a row that has no column of the query.
  http_write_exception_in_output_format: 0,
  cancel_http_readonly_queries_on_client_close: 1,
} as const;

export function openDatabase({ url, user, password, database }: DatabaseOptions): Database {
  const client = createClient({
    url,
    username: user,
    password,
    ...(database !== undefined && { database }),
    application: "obspan",
    request_timeout: REQUEST_MS,
    max_open_connections: 16,
    // The fastest level takes two thirds of the time of the usual one, and a tenth more bytes of texts that do not repeat.
    compression: { request: { codec: "gzip", level: 1 }, response: true },
    // The keys of many traces are longer than a URL may be.
    use_multipart_params_auto: true,
    clickhouse_settings: SETTINGS,
    // Failures are told by whoever asked.
    log: { level: 127 },
  });

  async function* stream<Row>(
    sql: string,
    parameters: Parameters = {},
    signal?: AbortSignal,
  ): AsyncGenerator<readonly Row[], void> {
    signal?.throwIfAborted();
    const leaving = new AbortController();
    const leave = (): void => leaving.abort(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    const expectRows = (): NodeJS.Timeout =>
      setTimeout(() => leaving.abort(storeUnavailable(LATE)), QUERY_SECONDS * 1000);
    let deadline = expectRows();
    const asked = splitLists({ sql, parameters }, false);
    try {
      const answer = await client.query({
        query: asked.sql,
        query_params: { ...asked.parameters },
        format: "JSONEachRow",
        abort_signal: leaving.signal,
        clickhouse_settings: QUERY_SETTINGS,
      });
      // The client heeds the signal until the first part of the answer only.
      if (leaving.signal.aborted) answer.close();
      else leaving.signal.addEventListener("abort", () => answer.close(), { once: true });
      for await (const rows of answer.stream<Row>()) {
        clearTimeout(deadline);
        yield rows.map((row) => row.json());
        deadline = expectRows();
      }
      leaving.signal.throwIfAborted();
    } catch (error) {
      leaving.signal.throwIfAborted();
      throw failureOf(error, `ClickHouse does not answer: ${errorMessage(error)}`);
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener("abort", leave);
    }
  }

  return {
    stream,

    async rows<Row>(sql: string, parameters?: Parameters, signal?: AbortSignal): Promise<Row[]> {
      const found: Row[] = [];
      for await (const rows of stream<Row>(sql, parameters, signal)) appendAll(found, rows);
      return found;
    },

    async insert(table, rows, signal) {
      signal?.throwIfAborted();
      try {
        const { stream: answer } = await client.exec({
          // The names of the columns are a quarter of a row.
          query: `INSERT INTO ${table} (${Object.keys(rows[0] ?? {}).join(", ")}) FORMAT JSONCompactEachRow`,
          values: Readable.from(linesOf(rows), { objectMode: false }),
          ...(signal && { abort_signal: signal }),
        });
        const problem = await startOf(answer);
        if (/\S/.test(problem)) throw lateFailureOf(problem);
      } catch (error) {
        if (error instanceof ClickHouseError && UNREADABLE.has(error.code))
          throw new RefusedRowsError(error.code, error);
        throw error;
      }
    },

    async run(sql, parameters = {}, signal) {
      signal?.throwIfAborted();
      // The client sends parameters in the body for queries only.
      const asked = splitLists({ sql, parameters }, true);
      try {
        await client.command({
          query: asked.sql,
          query_params: { ...asked.parameters },
          ...(signal && { abort_signal: signal }),
        });
      } catch (error) {
        throw failureOf(error, `ClickHouse does not answer: ${errorMessage(error)}`);
      }
    },

    close: () => client.close(),
  };
}

/** Rows as JSON, a piece in each turn of the event loop: 10,000 at once would block it for 90 ms. */
async function* linesOf(rows: readonly object[]): AsyncGenerator<string, void> {
  let lines = "";
  for (const row of rows) {
    lines += `${JSON.stringify(Object.values(row))}\n`;
    if (lines.length < PIECE_LENGTH) continue;
    yield lines;
    lines = "";
    await nextTurn();
  }
  if (lines !== "") yield lines;
}

/** Characters of an answer that has no rows; the start of a failure says what it is. */
const MAX_PROBLEM_LENGTH = 16 * 1024;

/** Reads an answer to its end. */
async function startOf(answer: Readable): Promise<string> {
  let text = "";
  for await (const part of answer) if (text.length < MAX_PROBLEM_LENGTH) text += String(part);
  return text;
}

/** What came after a status that says success. Anything that is no failure of ClickHouse is not quoted. */
function lateFailureOf(text: string): Error {
  const failure = parseError(text);
  if (failure instanceof ClickHouseError) return failure;
  return new Error("The answer to an insert is not that of ClickHouse.");
}

/** A mistake in a statement as it is; any other failure may pass. */
function failureOf(error: unknown, problem: string): unknown {
  return error instanceof ClickHouseError && MISTAKES.has(error.code) ? error : storeUnavailable(problem);
}
