import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { CommandFailure } from "./command-failure.js";

/** Bodies of errors are longer only if they do not come from a collector. */
const MAX_JSON_BYTES = 16 * 2 ** 20;
/** How long a collector may take to answer whether it is there. */
const PROBE_TIMEOUT_MS = 3000;

/** Options of {@link CollectorClient}. */
export interface CollectorClientOptions {
  /** Base address of the collector. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Ends requests under way. */
  readonly signal: AbortSignal;
}

interface RequestOptions {
  readonly method: "GET" | "POST";
  readonly body?: unknown;
  readonly timeoutMs?: number;
}

/** Asks a collector over HTTP. A request may take any time: tasks on a large file take minutes. */
export class CollectorClient {
  readonly url: string;
  readonly #options: CollectorClientOptions;

  /** @throws CommandFailure if the address is none. */
  constructor(options: CollectorClientOptions) {
    const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol))
      throw new CommandFailure(`${JSON.stringify(options.url)} is not the address of a collector.`);
    this.url = url.origin + (url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : url.pathname);
    this.#options = options;
  }

  /** True if a collector answers. */
  async isThere(): Promise<boolean> {
    try {
      const response = await this.#send("/health", { method: "GET", timeoutMs: PROBE_TIMEOUT_MS });
      const body: unknown = JSON.parse(await textOf(response));
      return typeof body === "object" && body !== null && "uptime_seconds" in body;
    } catch {
      this.#options.signal.throwIfAborted();
      return false;
    }
  }

  /** @throws CommandFailure if the collector does not answer, or answers with an error. */
  async json<Answer>(method: "GET" | "POST", path: string, body?: unknown): Promise<Answer> {
    const response = await this.#answer(path, { method, body });
    try {
      return JSON.parse(await textOf(response)) as Answer;
    } catch (error) {
      this.#options.signal.throwIfAborted();
      throw new CommandFailure(`The answer of ${this.url} was cut off or is not JSON.`, { cause: error });
    }
  }

  /** The response of a successful request whose body is a file. */
  async file(path: string): Promise<IncomingMessage> {
    return await this.#answer(path, { method: "GET" });
  }

  async #answer(path: string, options: RequestOptions): Promise<IncomingMessage> {
    let response: IncomingMessage;
    try {
      response = await this.#send(path, options);
    } catch (error) {
      this.#options.signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandFailure(`No collector answers at ${this.url}: ${reason || "no connection"}.`, {
        cause: error,
      });
    }
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    throw await this.#failure(path, statusCode, response);
  }

  async #failure(path: string, status: number, response: IncomingMessage): Promise<CommandFailure> {
    if (status === 401)
      return new CommandFailure(
        `The collector at ${this.url} needs ${this.#options.apiKey === undefined ? "an" : "another"} API key: set OBS_API_KEY.`,
      );
    const error = errorIn(await textOf(response).catch(() => ""));
    if (error === undefined)
      return new CommandFailure(`${this.url} is no collector: it answers ${path} with status ${status}.`);
    if (error.code === "not_found")
      return new CommandFailure(`The collector at ${this.url} has no ${path}: its version is older.`);
    return new CommandFailure(`${error.message} (${error.code})`);
  }

  #send(path: string, { method, body, timeoutMs }: RequestOptions): Promise<IncomingMessage> {
    const { apiKey, signal } = this.#options;
    const content = body === undefined ? undefined : JSON.stringify(body);
    const send = this.url.startsWith("https:") ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const request = send(
        this.url + path,
        {
          method,
          signal,
          agent: false,
          headers: {
            ...(apiKey !== undefined && { "X-API-Key": apiKey }),
            ...(content !== undefined && {
              "Content-Type": "application/json",
              "Content-Length": Buffer.byteLength(content),
            }),
          },
        },
        resolve,
      );
      request.once("error", reject);
      if (timeoutMs !== undefined)
        request.setTimeout(timeoutMs, () => request.destroy(new Error("it does not answer")));
      request.end(content);
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_JSON_BYTES) throw new Error("The answer is too long.");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The error of a body in the shape of the collector's errors. */
function errorIn(text: string): { readonly code: string; readonly message: string } | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    const { code, message } = error ?? {};
    return typeof code === "string" && typeof message === "string" ? { code, message } : undefined;
  } catch {
    return undefined;
  }
}
