import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aDatabase, missingClickHouse, startClickHouse, type ClickHouseServer } from "./clickhouse-server.js";

/** What the tests of the store rely on, whichever server they use. */
describe.skipIf(missingClickHouse() !== undefined)("the ClickHouse of the tests", () => {
  const database = aDatabase();
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
    await ask({ query: `CREATE DATABASE ${database}` });
    await ask({ query: `CREATE TABLE ${database}.t (k String, n UInt64) ENGINE = MergeTree ORDER BY k` });
  });
  afterAll(async () => {
    await ask({ query: `DROP DATABASE ${database}` });
    await server.stop();
  });

  async function ask(given: Readonly<Record<string, string>>, body = "", signal?: AbortSignal) {
    const url = new URL(server.url);
    for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value);
    const response = await fetch(url, { method: "POST", body, ...(signal && { signal }) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  it("takes rows, parameters of any text, and settings of one query", async () => {
    const rows = `{"k":"it's \\\\ a\\n\\"🎉\\"","n":1}\n{"k":"b","n":2}`;
    const insert = `INSERT INTO ${database}.t FORMAT JSONEachRow`;
    expect(await ask({ query: insert, query_id: "q-1" }, rows)).toMatchObject({ status: 200, text: "" });
    const query = "SELECT n FROM t WHERE k = {k:String} AND has({n:Array(UInt8)}, n) FORMAT JSONEachRow";
    const found = await ask({ query, database, param_k: `it\\'s \\\\ a\\n"🎉"`, param_n: "[1,3]" });
    expect(JSON.parse(found.text)).toEqual({ n: 1 });
    expect(JSON.parse(found.headers.get("x-clickhouse-summary") ?? "")).toHaveProperty("read_rows");
    const limited = { query: "SELECT k FROM t FORMAT TSV", database, limit: "1" };
    expect((await ask(limited)).text.trim().split("\n")).toHaveLength(1);
    expect((await ask({ query: limited.query, database })).text.trim().split("\n")).toHaveLength(2);
  });

  it("answers errors with the code of their exception", async () => {
    for (const [query, code] of [
      ["SELECT nothing", "47"],
      ["SELECT * FROM nothing", "60"],
      ["SELECT {missing:String}", "456"],
      [`INSERT INTO ${database}.t FORMAT JSONEachRow {"k":"\\ud800"}`, "25"],
    ] as const) {
      const { status, headers, text } = await ask({ query });
      expect(status, query).toBeGreaterThanOrEqual(400);
      expect(headers.get("x-clickhouse-exception-code"), query).toBe(code);
      expect(text, query).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: `));
    }
    expect((await ask({ query: "SELECT 1", database: aDatabase() })).text).toContain("(UNKNOWN_DATABASE)");
  });

  it("refuses a parameter of more than 128 KiB", async () => {
    const query = "SELECT length({text:String}) AS bytes FORMAT TSV";
    const send = async (text: string) => {
      const body = new FormData();
      body.set("param_text", text);
      const url = new URL(server.url);
      url.searchParams.set("query", query);
      return await (await fetch(url, { method: "POST", body })).text();
    };
    expect((await send("x".repeat(2 ** 17))).trim()).toBe(String(2 ** 17));
    expect(await send("x".repeat(2 ** 17 + 1))).toContain("Field value too long");
    // In a URL, what it is written with counts.
    expect((await ask({ query, param_text: "\u{1f680}".repeat(11_000) })).text).toContain(
      "Field value too long",
    );
  });

  it("goes on after a client has left", async () => {
    const leaving = new AbortController();
    const query = "SELECT number FROM numbers(1000000000) FORMAT TSV";
    const asked = ask({ query, max_rows_to_read: "0" }, "", leaving.signal);
    const next = ask({ query: "SELECT 1 FORMAT TSV" });
    leaving.abort();
    await expect(asked).rejects.toThrow("abort");
    expect((await next).text.trim()).toBe("1");
  });

  it("has its rows again after it was killed", async () => {
    if (!server.isOwn) return;
    const query = `SELECT count() FROM ${database}.t FORMAT TSV`;
    const before = await ask({ query });
    await server.kill();
    await expect(ask({ query })).rejects.toThrow();
    await server.start();
    expect((await ask({ query })).text).toBe(before.text);
  });
});
