/**
 * A ClickHouse for tests: the engine of chDB behind as much of ClickHouse's HTTP interface as `@clickhouse/client` uses. A process of
 * its own, because a failure of the engine ends its process. Prints its port when it listens, and ends with its standard input: no engine
 * outlives the tests that started it.
 *
 *   node clickhouse-server.mjs <directory> [port]
 *
 * Queries run one after the other, since the engine has one session, whose settings they change.
 */
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import { Session } from "chdb";

/** Parameters of the URL that are not settings of the query. */
const NO_SETTINGS = new Set(
  "query query_id database session_id session_timeout role user password quota_key default_format".split(" "),
);
/** Settings of the HTTP interface, which this one does not have, and one that its session could not take back. */
const HTTP_SETTINGS = new Set(
  "readonly cancel_http_readonly_queries_on_client_close wait_end_of_query buffer_size compress decompress enable_http_compression send_progress_in_http_headers http_headers_progress_interval_ms".split(
    " ",
  ),
);
/** As ClickHouse's `http_max_uri_size`. */
const MAX_URI_BYTES = 2 ** 20;
/** As ClickHouse's `http_max_field_value_size`: of each parameter of a URL, as it is there, and of each part of a form. */
const MAX_FIELD_BYTES = 2 ** 17;
const DEFAULT_DATABASE = "default";
/** Status by the code of an exception; others are 500. */
const STATUS = new Map([
  [6, 400], // CANNOT_PARSE_TEXT
  [26, 400], // CANNOT_PARSE_QUOTED_STRING
  [27, 400], // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  [53, 400], // TYPE_MISMATCH
  [62, 400], // SYNTAX_ERROR
  [117, 400], // INCORRECT_DATA
  [46, 404], // UNKNOWN_FUNCTION
  [47, 404], // UNKNOWN_IDENTIFIER
  [60, 404], // UNKNOWN_TABLE
  [81, 404], // UNKNOWN_DATABASE
  [115, 404], // UNKNOWN_SETTING
  [159, 408], // TIMEOUT_EXCEEDED
]);

const [directory, port = "0"] = process.argv.slice(2);
const session = new Session(directory);
let previous = Promise.resolve();

const server = createServer({ maxHeaderSize: MAX_URI_BYTES }, (request, response) => {
  answer(request, response).catch((error) => fail(response, error));
});
server.listen(Number(port), "127.0.0.1", () => console.log(server.address().port));

process.stdin.resume().once("close", () => process.exit());
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  void previous.then(() => {
    session.close();
    process.exit(0);
  });
});

async function answer(request, response) {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname === "/ping") return void response.end("Ok.\n");
  const given = url.searchParams;
  for (const field of url.search.slice(1).split("&")) requireShort(field.length - field.indexOf("=") - 1);
  let body = await readBody(request);
  const { "content-encoding": encoding, "content-type": type = "" } = request.headers;
  if (encoding === "gzip") body = gunzipSync(body);
  if (type.startsWith("multipart/form-data")) {
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    for (const [name, value] of form) {
      requireShort(Buffer.byteLength(value));
      given.set(name, value);
    }
    body = Buffer.alloc(0);
  }
  const sql = [given.get("query"), body.toString()].filter((part) => part).join("\n");
  response.setHeader("X-ClickHouse-Query-Id", given.get("query_id") ?? "");
  response.setHeader("X-ClickHouse-Server-Display-Name", "chDB");
  response.setHeader("X-ClickHouse-Timezone", "UTC");
  const turn = previous.then(() => run(sql, given, () => response.destroyed));
  previous = turn.then(
    () => undefined,
    () => undefined,
  );
  const { parts, rows } = await turn;
  const counts = { read_rows: "0", written_rows: String(rows), result_rows: "0", elapsed_ns: "0" };
  response.setHeader("X-ClickHouse-Summary", JSON.stringify(counts));
  response.setHeader("Content-Type", "text/plain; charset=UTF-8");
  for (const part of parts) response.write(part);
  response.end();
}

function requireShort(bytes) {
  if (bytes > MAX_FIELD_BYTES)
    throw new Error("Code: 1000. DB::Exception: HTML Form Exception: Field value too long. (POCO_EXCEPTION)");
}

async function readBody(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

/** Runs a query with its settings and parameters, unless its client has left. */
async function run(sql, given, isLeft) {
  if (isLeft()) return { parts: [], rows: 0 };
  const names = [...new Set(given.keys())];
  for (const name of names.filter((each) => each.startsWith("param_"))) set(name, given.get(name));
  requireParameters(sql, given);
  session.query(`USE ${quoteName(given.get("database") || DEFAULT_DATABASE)}`);
  const settings = names.filter(
    (name) => !name.startsWith("param_") && !NO_SETTINGS.has(name) && !HTTP_SETTINGS.has(name),
  );
  try {
    for (const name of settings) set(name, given.get(name));
    return isRead(sql) ? { parts: await read(sql, isLeft), rows: 0 } : await write(sql);
  } finally {
    for (const name of settings) session.query(`SET ${quoteName(name)} = DEFAULT`);
  }
}

/** A parameter of an earlier query would stand in for a missing one. */
function requireParameters(sql, given) {
  // Rows may have such a text.
  if (/^\s*insert\b/i.test(sql)) return;
  for (const [, name] of sql.slice(0, MAX_URI_BYTES).matchAll(/\{(\w+):[A-Z]/g))
    if (!given.has(`param_${name}`))
      throw new Error(
        `Code: 456. DB::Exception: Substitution \`${name}\` is not set. (UNKNOWN_QUERY_PARAMETER)`,
      );
}

function isRead(sql) {
  return /^\s*(?:select|with)\b/i.test(sql);
}

/** The parts of a result. Ends between two of them when the client has left. */
async function read(sql, isLeft) {
  const parts = [];
  const stream = session.queryStream(sql);
  for await (const chunk of stream) {
    if (isLeft()) break;
    parts.push(Buffer.from(chunk.raw()));
  }
  return parts;
}

async function write(sql) {
  const result = await session.queryAsync(sql);
  return { parts: [Buffer.from(result.bytes())], rows: result.rowsRead };
}

function set(name, value) {
  // A query ends at a NUL.
  const quoted = value.replace(/['\\]/g, "\\$&").replaceAll("\0", "\\0");
  session.query(`SET ${quoteName(name)} = '${quoted}'`);
}

function quoteName(name) {
  return `\`${name.replace(/[`\\]/g, "\\$&")}\``;
}

/** Answers an exception as ClickHouse does. */
function fail(response, error) {
  if (response.headersSent) return void response.destroy();
  const message = String(error.message ?? error);
  const at = message.search(/Code: \d/);
  const text =
    at === -1 ? `Code: 1002. DB::Exception: ${message}. (UNKNOWN_EXCEPTION)` : message.slice(at).trim();
  const code = Number(/^Code: (\d+)/.exec(text)?.[1]);
  response.writeHead(STATUS.get(code) ?? 500, {
    "Content-Type": "text/plain; charset=UTF-8",
    "X-ClickHouse-Exception-Code": String(code),
  });
  response.end(`${text} (version chDB)\n`);
}
