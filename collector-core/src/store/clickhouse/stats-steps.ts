import { randomBytes } from "node:crypto";
import { TupleParam } from "@clickhouse/client";
import type { AddSteps, ClosedStep, SharedStatsArchive, WrittenStep } from "../../interfaces.js";
import type { Database } from "./database.js";

/** A row of `stats`. */
interface StepRow {
  readonly resolution: number;
  readonly start_s: number;
  readonly writer: string;
  readonly format: number;
  readonly written_ms: number;
  /** Base64: rows are JSON. */
  readonly data: string;
}

const COLUMNS = "resolution, start_s, writer, format, written_ms, data";
const OF_OTHERS = "writer != {writer:String} AND start_s >= {from:Int64}";
/** A repeated insert leaves two rows until ClickHouse has merged them. */
const ONCE = "LIMIT 1 BY resolution, start_s, writer";
/** Steps of one answer. */
const PAGE = 500;

const WRITTEN = `SELECT ${COLUMNS} FROM stats
WHERE resolution = 10 AND ${OF_OTHERS} AND written_ms >= {since:Int64}
AND (writer, start_s) NOT IN {known:Array(Tuple(String, Int64))}
ORDER BY written_ms ${ONCE} LIMIT ${PAGE}`;

/** A process that ended within a minute has not written that minute, but its steps. */
const MINUTES = `SELECT ${COLUMNS} FROM stats
WHERE ${OF_OTHERS} AND start_s < {before:Int64} AND (resolution = 60 OR (writer, intDiv(start_s, 60) * 60) NOT IN
(SELECT writer, start_s FROM stats WHERE resolution = 60 AND start_s >= {from:Int64} AND start_s < {before:Int64}))
ORDER BY start_s DESC ${ONCE}`;

/**
 * The steps of the statistics in ClickHouse. Each run of a collector writes under a name of its own, and each of its steps once, so that
 * neither a restart nor a repeated insert counts twice.
 */
export class StatsSteps implements SharedStatsArchive {
  readonly #database: Database;
  readonly #writing: Database;
  readonly #writer = randomBytes(9).toString("base64url");

  /** @param databases - `writing` has connections of its own, which no question takes. */
  constructor({ database, writing }: { readonly database: Database; readonly writing: Database }) {
    this.#database = database;
    this.#writing = writing;
  }

  async putStatsSteps(steps: readonly ClosedStep[]): Promise<boolean> {
    await this.#writing.insert(
      "stats",
      steps.map(({ resolutionSeconds, startSeconds, format, data }) => ({
        resolution: resolutionSeconds,
        start_s: startSeconds,
        writer: this.#writer,
        format,
        data: Buffer.from(data).toString("base64"),
      })),
    );
    return true;
  }

  /** An earlier run is another writer. */
  async statsSteps(): Promise<readonly ClosedStep[]> {
    return await Promise.resolve([]);
  }

  async written(
    { sinceMs, fromSeconds, known }: Parameters<SharedStatsArchive["written"]>[0],
    add: AddSteps,
  ): Promise<boolean> {
    const parameters = {
      writer: this.#writer,
      from: fromSeconds,
      since: sinceMs,
      // An array must have a type, and so an item.
      known: [
        new TupleParam(["", 0]),
        ...known.map((each) => new TupleParam([each.writer, each.startSeconds])),
      ],
    };
    return (await this.#read(WRITTEN, parameters, add)) === PAGE;
  }

  async minutes(fromSeconds: number, beforeSeconds: number, add: AddSteps): Promise<void> {
    const parameters = { writer: this.#writer, from: fromSeconds, before: beforeSeconds };
    await this.#read(MINUTES, parameters, add);
  }

  /** Adds steps as they come: each of them may be large. @returns how many there were. */
  async #read(sql: string, parameters: Readonly<Record<string, unknown>>, add: AddSteps): Promise<number> {
    let count = 0;
    for await (const rows of this.#database.stream<StepRow>(sql, parameters)) {
      count += rows.length;
      await add(rows.map(stepOf));
    }
    return count;
  }
}

function stepOf(row: StepRow): WrittenStep {
  return {
    resolutionSeconds: row.resolution,
    startSeconds: row.start_s,
    writer: row.writer,
    writtenMs: row.written_ms,
    format: row.format,
    data: Buffer.from(row.data, "base64"),
  };
}
