import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { Readable } from "node:stream";
import { CommandFailure, EXIT } from "./command-failure.js";
import type { RecentAnswers } from "./recent-answers.js";

/** Longest answer that is read as a whole. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
/** Many times the longest message of an error. */
const MAX_MESSAGE_LENGTH = 20_000;
/** How long a collector may take to answer whether it is there. */
const PROBE_TIMEOUT_MS = 3000;
/** How long a connection may take. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long a connection may be silent: a search in a large file takes its time. */
const ANSWER_TIMEOUT_MS = 120_000;
/** The live feed has an event every second. */
const FEED_TIMEOUT_MS = 15_000;

/** Options of {@link CollectorClient}. */
export interface CollectorClientOptions {
  /** Base address of the collector. That of its ingestion route is understood too. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Tenant whose traces are asked for, and to whom sent spans belong. */
  readonly tenant?: string | undefined;
  /** Ends requests under way. */
  readonly signal?: AbortSignal;
  /** What to do if no collector answers, as a sentence. */
  readonly hint?: string;
  /** Gets every answer that is JSON. */
  readonly answers?: Pick<RecentAnswers, "add">;
}

/** The query of a request. What is undefined is left out. */
export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** What is sent, with its media type. */
export interface RequestContent {
  readonly type: string;
  readonly data: string | Buffer | Readable;
}

/** The collector answered with an error. */
export class CollectorError extends CommandFailure {
  readonly status: number;
  /** Undefined if the collector names no time to try again. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ code, message }: ErrorBody, status: number, retryAfterSeconds: number) {
    const hint = code.startsWith("ambiguous_") ? " Name one with --tenant." : "";
    super(`${message} (${code})${hint}`, { exitCode: exitCodeOf(code) });
    this.status = status;
    this.retryAfterSeconds = Number.isFinite(retryAfterSeconds) ? retryAfterSeconds : undefined;
  }
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

interface RequestOptions {
  readonly method: "GET" | "POST";
  readonly content?: RequestContent | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: any time. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks a collector over HTTP. */
export class CollectorClient {
  readonly url: string;
  readonly #options: CollectorClientOptions;

  /** @throws CommandFailure if the address is none. */
  constructor(options: CollectorClientOptions) {
    const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol))
      throw new CommandFailure(
        // It may contain a password.
        `${options.url.includes("@") ? "That" : JSON.stringify(options.url)} is not the address of a collector, such as http://127.0.0.1:8080.`,
        { exitCode: EXIT.usage },
      );
    this.url = url.origin + url.pathname.replace(/\/v1\/telemetry\/?$/, "").replace(/\/$/, "");
    this.#options = options;
  }

  /** True if a collector answers. */
  async isThere(): Promise<boolean> {
    try {
      const response = await this.#send("/health", { method: "GET", timeoutMs: PROBE_TIMEOUT_MS });
      const body: unknown = JSON.parse(await textOf(response));
      return typeof body === "object" && body !== null && "uptime_seconds" in body;
    } catch {
      this.#options.signal?.throwIfAborted();
      return false;
    }
  }

  /**
   * The answer to a question, of the client's tenant if it has one.
   *
   * @param field - a field that every answer has: another server may answer with JSON too.
   * @throws CommandFailure if the collector does not answer, or answers with an error.
   */
  async get<Answer extends object>(
    path: string,
    field: keyof Answer & string,
    parameters: Parameters = {},
  ): Promise<Answer> {
    const response = await this.#answer(this.#pathOf(path, parameters), {
      method: "GET",
      timeoutMs: ANSWER_TIMEOUT_MS,
    });
    const answer = await this.#json<Answer | null>(`GET ${path}`, response);
    if (typeof answer === "object" && answer !== null && Object.hasOwn(answer, field)) return answer;
    throw new CommandFailure(`${this.url} is no collector: its answer to ${path} has no \`${field}\`.`, {
      exitCode: EXIT.away,
    });
  }

  /** The answer to a request that may take any time: tasks on a large file take minutes. */
  async json<Answer>(method: "GET" | "POST", path: string, body?: unknown): Promise<Answer> {
    const content = body === undefined ? undefined : jsonContent(body);
    return await this.#json(`${method} ${path}`, await this.#answer(path, { method, content }));
  }

  /**
   * Sends data, which may take any time. A silent connection is given up.
   *
   * @throws CollectorError if the collector refuses them.
   */
  async post<Answer>(
    path: string,
    content: RequestContent,
    timeoutMs: number = ANSWER_TIMEOUT_MS,
  ): Promise<Answer> {
    return await this.#json(`POST ${path}`, await this.#answer(path, { method: "POST", content, timeoutMs }));
  }

  /**
   * The response of a successful request whose body is a file.
   *
   * @throws CommandFailure if the answer is none: another server may answer everything.
   */
  async file(path: string, parameters: Parameters = {}): Promise<IncomingMessage> {
    const response = await this.#answer(this.#pathOf(path, parameters), { method: "GET" });
    if (response.headers["content-disposition"]?.startsWith("attachment") === true) return response;
    response.destroy();
    throw new CommandFailure(`${this.url} is no collector: its answer to ${path} is no file.`, {
      exitCode: EXIT.away,
    });
  }

  /** A stream of server-sent events. It fails after 15 s without one. */
  async events(
    path: string,
    options: { readonly lastEventId?: string | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<IncomingMessage> {
    const { lastEventId, signal } = options;
    return await this.#answer(this.#pathOf(path, {}), {
      method: "GET",
      headers: {
        Accept: "text/event-stream",
        ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }),
      },
      timeoutMs: FEED_TIMEOUT_MS,
      signal,
    });
  }

  /**
   * Sends a JSON-RPC message, and returns the body of the answer: empty if there is none. JSON-RPC has errors of its own.
   *
   * @throws CommandFailure if no collector answers, or it answers with another error.
   */
  async message(path: string, message: unknown, headers: Readonly<Record<string, string>>): Promise<string> {
    let response: IncomingMessage;
    try {
      const content = jsonContent(message);
      response = await this.#send(path, { method: "POST", content, headers, timeoutMs: ANSWER_TIMEOUT_MS });
    } catch (error) {
      throw this.#away(reasonOf(error), error);
    }
    const { statusCode = 0 } = response;
    const body = await textOf(response).catch(() => "");
    if ((statusCode >= 200 && statusCode < 300) || /^\{"jsonrpc":/.test(body)) return body;
    throw this.#failure(path, response, body);
  }

  #pathOf(path: string, parameters: Parameters): string {
    const query = new URLSearchParams();
    const { tenant } = this.#options;
    const all: Parameters = { tenant, ...parameters };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, String(value));
    return query.size === 0 ? path : `${path}?${query.toString()}`;
  }

  /** Notes a trace of the live feed as an answer. */
  noteLiveTrace(value: unknown): void {
    this.#options.answers?.add({ url: this.url, route: "GET /v1/live", value });
  }

  async #json<Answer>(route: string, response: IncomingMessage): Promise<Answer> {
    try {
      const value: unknown = JSON.parse(await textOf(response));
      this.#options.answers?.add({ url: this.url, route, value });
      return value as Answer;
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      throw new CommandFailure(`The answer of ${this.url} was cut off or is not JSON.`, {
        exitCode: EXIT.away,
        cause: error,
      });
    }
  }

  async #answer(path: string, options: RequestOptions): Promise<IncomingMessage> {
    let response: IncomingMessage;
    try {
      response = await this.#send(path, options);
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      options.signal?.throwIfAborted();
      throw this.#away(reasonOf(error), error);
    }
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    throw this.#failure(path, response, await textOf(response).catch(() => ""));
  }

  #away(reason: string, cause?: unknown): CommandFailure {
    const { hint } = this.#options;
    const message = `No collector answers at ${this.url}: ${reason}.${hint === undefined ? "" : ` ${hint}`}`;
    return new CommandFailure(message, { exitCode: EXIT.away, cause });
  }

  #failure(path: string, response: IncomingMessage, body: string): CommandFailure {
    const { statusCode: status = 0 } = response;
    const [route = path] = path.split("?");
    const error = errorIn(body);
    if (status === 401)
      return new CommandFailure(
        `The collector at ${this.url} needs ${this.#options.apiKey === undefined ? "an" : "another"} API key: set OBS_API_KEY.`,
      );
    if (error === undefined)
      return new CommandFailure(`${this.url} is no collector: it answers ${route} with status ${status}.`, {
        exitCode: EXIT.away,
      });
    if (error.code === "not_found")
      return new CommandFailure(`The collector at ${this.url} has no ${route}: its version is older.`);
    return new CollectorError(error, status, Number(response.headers["retry-after"]));
  }

  #send(
    path: string,
    { method, content, headers, timeoutMs, signal }: RequestOptions,
  ): Promise<IncomingMessage> {
    const { apiKey, tenant } = this.#options;
    const signals = [this.#options.signal, signal].filter((each) => each !== undefined);
    const send = this.url.startsWith("https:") ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const request = send(
        this.url + path,
        {
          method,
          ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
          agent: false,
          headers: {
            ...(apiKey !== undefined && { "X-API-Key": apiKey }),
            ...(tenant !== undefined && { "X-Tenant-ID": tenant }),
            ...(content !== undefined && { "Content-Type": content.type, ...lengthOf(content) }),
            ...headers,
          },
        },
        resolve,
      );
      request.once("socket", (socket) => {
        const giveUp = (): void => void request.destroy(new Error("it cannot be connected to"));
        const timer = setTimeout(giveUp, CONNECT_TIMEOUT_MS);
        for (const event of ["connect", "close"] as const) socket.once(event, () => clearTimeout(timer));
      });
      if (timeoutMs !== undefined)
        request.setTimeout(timeoutMs, () => request.destroy(new Error("it does not answer")));
      const data = content?.data;
      request.once("error", (error) => {
        if (isStream(data)) data.destroy();
        reject(error);
      });
      if (isStream(data)) {
        data.once("error", (error) => request.destroy(error));
        data.pipe(request);
      } else request.end(data);
    });
  }
}

function jsonContent(value: unknown): RequestContent {
  return { type: "application/json", data: JSON.stringify(value) };
}

function isStream(data: RequestContent["data"] | undefined): data is Readable {
  return data !== undefined && typeof data !== "string" && !Buffer.isBuffer(data);
}

function lengthOf({ data }: RequestContent): Record<string, number> {
  return isStream(data) ? {} : { "Content-Length": Buffer.byteLength(data) };
}

/** What could not be found, and a question that could not be meant, have a code of their own. */
function exitCodeOf(code: string): number {
  if (code === "trace_not_found" || code === "session_not_found") return EXIT.nothing;
  return MISUSES.has(code) ? EXIT.usage : EXIT.failed;
}

const MISUSES: ReadonlySet<string> = new Set([
  "invalid_query",
  "invalid_limit",
  "invalid_tenant",
  "ambiguous_trace",
  "ambiguous_session",
]);

/** The error of a name with several addresses has no message of its own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return "code" in error ? String(error.code) : "no connection";
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_ANSWER_BYTES) throw new Error("The answer is too long.");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The error of a body in the shape of the collector's errors, or in that of OTLP. */
function errorIn(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } } & Record<
      string,
      unknown
    >;
    const { code, message } = body.error ?? body;
    if (typeof message !== "string" || message.length > MAX_MESSAGE_LENGTH) return undefined;
    if (typeof code === "string") return { code, message };
    // `invalid_payload: …`, as the route of OTLP answers.
    const [, name, sentence] = /^([a-z_]+): (.*)$/s.exec(message) ?? [];
    return name === undefined || sentence === undefined ? undefined : { code: name, message: sentence };
  } catch {
    return undefined;
  }
}
