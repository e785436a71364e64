import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { connect } from "node:net";

/** How long a connection may be silent. */
const TIMEOUT_MS = 3000;
/** How long an answer may take: something else than a collector may send without end. */
const ANSWER_TIMEOUT_MS = 15_000;
/** The longest answers are those of /metrics. */
const MAX_BYTES = 16 * 2 ** 20;

/** An answer to a request. */
export interface Answer {
  readonly status: number;
  /** The time of the server; undefined if it does not tell. */
  readonly date: Date | undefined;
  /** What the server calls itself. */
  readonly server: string | undefined;
  readonly text: string;
  /** The body as JSON; undefined if it is none. */
  readonly json: unknown;
}

/** Why there is no answer: the code of the system, such as ECONNREFUSED, or the reason in words, such as `timeout`. */
export interface NoAnswer {
  readonly failure: string;
}

/** Sends a request, directly and without following redirects. */
export async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Answer | NoAnswer> {
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  return await new Promise((resolve) => {
    const fail = (error: unknown): void => resolve({ failure: codeOf(error) });
    const request = send(
      url,
      {
        method: body === undefined ? "GET" : "POST",
        agent: false,
        headers: body === undefined ? headers : { ...headers, "Content-Type": "application/json" },
      },
      (response) => {
        const parts: Buffer[] = [];
        let length = 0;
        response.on("data", (part: Buffer) => {
          length += part.length;
          if (length > MAX_BYTES) request.destroy(new Error(`more than ${MAX_BYTES} bytes`));
          else parts.push(part);
        });
        response.once("error", fail);
        response.once("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          const { date, server } = response.headers;
          resolve({
            status: response.statusCode ?? 0,
            date: date === undefined || Number.isNaN(Date.parse(date)) ? undefined : new Date(date),
            server: typeof server === "string" ? server : undefined,
            text,
            json: parsed(text),
          });
        });
      },
    );
    const giveUp = (): void => void request.destroy(new Error("timeout"));
    const timer = setTimeout(giveUp, ANSWER_TIMEOUT_MS);
    request.once("close", () => clearTimeout(timer));
    request.once("error", fail);
    request.setTimeout(TIMEOUT_MS, giveUp);
    request.end(body);
  });
}

/** Opens a connection and closes it. @returns undefined if something listens, else why not. */
export async function connectTo(host: string, port: number): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (failure?: string): void => {
      socket.destroy();
      resolve(failure);
    };
    socket.once("connect", () => end());
    socket.once("error", (error) => end(codeOf(error)));
    socket.once("timeout", () => end("timeout"));
  });
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
