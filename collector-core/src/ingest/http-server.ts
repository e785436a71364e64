import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fastify, type FastifyInstance } from "fastify";
import { ApiError, internalError } from "../api-schema/errors.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { Lifecycle } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { createAnswerBudget } from "./answer-budget.js";
import { answerBadHttp } from "./bad-http.js";
import { limitConnections } from "./connection-limits.js";
import { answerErrors } from "./error-answers.js";
import { handleExpectations } from "./expectations.js";
import { createHalfOpenConnections } from "./half-open.js";
import type { OriginGuard } from "./origin-guard.js";
import { isWorthTelling, refusedConnection, refusedRequest, type RefusedRequest } from "./refused-request.js";
import { JSON_HEADERS } from "./json-headers.js";
import { lazyValidators } from "./lazy-validators.js";
import { collectMethods } from "./method-not-allowed.js";
import { createPipelinedRequests, tooFarAhead, whenFirstOfConnection } from "./pipelined-requests.js";
import { noteConnection } from "../runtime/loop-turn.js";
import { RequestAborted } from "../runtime/request-aborted.js";
import { TimeSlice } from "../runtime/time-slice.js";
import type { IngestAnswer, IngestRoute } from "./ingest-route.js";
import { createShortChunkLimit } from "./short-chunks.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its answers end when the reader leaves, who then has had all of it. */
    isOpenEnded?: boolean;
  }
}

/** What {@link createHttpServer} needs. */
export interface HttpServerOptions {
  /** `server.host` and `server.port`; port 0 takes any that is free. */
  readonly host: string;
  readonly port: number;
  readonly guard: OriginGuard;
  /** Routes beside the ingestion ones that need a key. */
  readonly isProtected: (route: string) => boolean;
  /** Throws `ApiError` unauthorized, rate_limited. */
  readonly authorize: (request: IncomingMessage) => void;
  /** Paths that take spans by POST. They are answered without Fastify, which would cost a quarter of their speed. */
  readonly ingestRoutes: Readonly<Record<string, IngestRoute>>;
  /** Adds all other routes. */
  readonly registerRoutes: (app: FastifyInstance) => Promise<void>;
  readonly onRequest: (route: string, status: number) => void;
  /** Told of requests that were refused, but not of questions that could not be answered. */
  readonly onRefused: (request: RefusedRequest) => void;
  /** True where the time limit of a request is no reason to end it: its route has its own. */
  readonly sparesTimeLimit: (error: Error & { code?: string }, socket: Socket) => boolean;
  /** Told of what nobody expected; the client gets a 500 that says nothing of it. */
  readonly onError: (route: string, error: unknown) => void;
  readonly clock: Pick<Clock, "monotonic">;
  /** What large answers are charged to. */
  readonly answers: ByteAccount;
  readonly connections: {
    /** `server.max_connections_per_address`. */
    readonly maxPerAddress: number;
    /** Loopback and `server.trusted_proxies`. */
    readonly isExempt: (address: string) => boolean;
    /** Disconnects readers that take nothing of their answers. */
    readonly cutOffStalled: () => void;
    /** Told when a connection was refused because there are `max` already: in all, or of that client. */
    readonly onRefused: (max: number, client: string | undefined) => void;
  };
}

/** The HTTP server: one port for ingestion, scrape, queries and probes (spec 2.6). */
export interface HttpServer extends Lifecycle {
  /** Where it listens, once started. */
  readonly url: string;
}

/** Bounds from the first day (reliability.md, "Security"): slow and greedy clients are cut off. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  /** How often the two above are looked at. */
  connectionsCheckingInterval: 2_000,
  /** Longer than the SDK's flush interval (5 s), so that it finds its connection still open. */
  keepAliveTimeout: 72_000,
} as const;
const MAX_CONNECTIONS = 1000;
/** A connection on which nothing moves for this long, while a request is on its way or being answered, is closed. */
const STALLED_MS = 20_000;
/** How long answers under way may still take when the server stops. */
const LAST_ANSWERS_MS = 500;
/** A trace id of 128 characters, every one percent-encoded from UTF-8. */
const MAX_PARAM_LENGTH = 128 * 12;

export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const ingestRoutes = new Map(Object.entries(options.ingestRoutes));
  const answers = createAnswerBudget(options.answers);
  const pipelined = createPipelinedRequests();
  const halfOpen = createHalfOpenConnections();
  const shortChunks = createShortChunkLimit();
  let server: Server | undefined;
  const app = fastify({
    serverFactory: (handleByFastify) => {
      server = createServer(LIMITS, (request, response) => handle(request, response, handleByFastify));
      handleExpectations(server, (request, response, unmet) =>
        handle(request, response, handleByFastify, unmet),
      );
      // A reader that takes nothing of its answer any more keeps what it was to read in memory.
      server.timeout = STALLED_MS;
      limitConnections(server, {
        ...options.connections,
        maxConnections: MAX_CONNECTIONS,
        destroyHalfOpen: () => halfOpen.destroyAll(),
      });
      server.on("connection", (socket) => halfOpen.watch(socket));
      server.on("connection", noteConnection);
      server.on("drop", noteConnection);
      return server;
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: {
      compilersFactory: {
        buildValidator: lazyValidators(options.clock),
        // The schemas of answers are documentation, held against the real answers by tests; JSON.stringify writes them.
        buildSerializer: () => () => (data) => JSON.stringify(data),
      },
    },
    // Addresses that cannot be decoded never reach a route: they get the one shape of error here.
    frameworkErrors: (_error, _request, reply) => {
      const error = new ApiError("not_found", "The path is not a valid address.");
      reply.hijack();
      reply.raw.writeHead(error.status, JSON_HEADERS).end(JSON.stringify(error.toBody()));
      options.onRequest(UNKNOWN_ROUTE, error.status);
    },
    clientErrorHandler: (error, socket) => {
      if (options.sparesTimeLimit(error, socket)) return;
      const answered = answerBadHttp(error, socket);
      if (answered !== undefined) options.onRefused(refusedConnection(answered, socket));
    },
    // While it stops, routes answer by themselves: probes say so in their own words.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    exposeHeadRoutes: true,
  });
  // No route that Fastify answers reads a body: a wrong method or path must be said before a bad body is.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null);
  });
  app.addHook("onSend", async (_request, reply) => void reply.header("X-Content-Type-Options", "nosniff"));
  app.addHook("onRequest", (request, { raw }, done) => {
    const { url = UNKNOWN_ROUTE, config } = request.routeOptions;
    raw.once("close", () => {
      const isAnswered = raw.writableFinished || (raw.headersSent && config.isOpenEnded === true);
      options.onRequest(url, isAnswered ? raw.statusCode : CLIENT_GONE);
    });
    done();
  });
  answerErrors(app, options.onError, ({ raw }, error) => noteRefusal(raw, error));
  const answerWrongMethods = collectMethods(app, [...ingestRoutes.keys()]);
  // In a scope of its own: the answers of 405 stand outside, for a method is told before a key is asked for.
  await app.register(async (scope) => {
    scope.addHook("onRequest", async ({ routeOptions, raw }) => {
      if (options.isProtected(routeOptions.url ?? "")) options.authorize(raw);
    });
    scope.addHook("onSend", async ({ routeOptions }, { raw }, payload) =>
      // Probes, scrapes and pages are small, or streamed from elsewhere, and pass always.
      routeOptions.url?.startsWith("/v1/") === true ? await answers.charge(payload, raw) : payload,
    );
    await options.registerRoutes(scope);
  });
  answerWrongMethods();
  await app.ready();

  function handle(
    request: IncomingMessage,
    response: ServerResponse,
    handleByFastify: (request: IncomingMessage, response: ServerResponse) => void,
    unmetExpectation?: ApiError,
  ): void {
    const path = pathOf(request.url ?? "/");
    const ingest = ingestRoutes.get(path);
    const route = ingest === undefined ? UNKNOWN_ROUTE : path;
    const isChunked = request.headers["transfer-encoding"] !== undefined;
    if (isChunked) shortChunks.watch(request);
    if (!pipelined.begin(request)) {
      refusePipelined(request, response, route);
      return;
    }
    try {
      const { allowedOrigin } = options.guard(request);
      if (allowedOrigin !== undefined && answerCors(request, response, allowedOrigin)) {
        options.onRequest(route, 204);
        pipelined.end(request);
        return;
      }
      if (unmetExpectation !== undefined) throw unmetExpectation;
    } catch (error) {
      void answerError(request, response, route, error, ingest).finally(() => pipelined.end(request));
      return;
    }
    if (ingest !== undefined && request.method === "POST") {
      void answerIngest(ingest, request, response, route);
      return;
    }
    response.once("close", () => pipelined.end(request));
    // No route of Fastify reads a body. Node would discard this one without counting its chunks.
    if (isChunked) request.resume();
    const answer = (): void => handleByFastify(request, response);
    // Probes, scrapes and pages hold little, and do not wait for a large answer before them to be read.
    if (path.startsWith("/v1/")) whenFirstOfConnection(response, () => answerInSlice(answer));
    else answer();
  }

  /** Of hundreds of questions that are ready in one turn of the event loop, some wait: probes and spans come between them. */
  function answerInSlice(answer: () => void): void {
    const slice = new TimeSlice(options.clock);
    if (slice.isOver()) void slice.next().then(answer);
    else answer();
  }

  function refusePipelined(request: IncomingMessage, response: ServerResponse, route: string): void {
    const error = tooFarAhead();
    noteRefusal(request, error);
    request.resume();
    const headers = { ...JSON_HEADERS, ...error.headers, Connection: "close" };
    response.writeHead(error.status, headers).end(JSON.stringify(error.toBody()));
    options.onRequest(route, error.status);
  }

  async function answerIngest(
    ingest: IngestRoute,
    request: IncomingMessage,
    response: ServerResponse,
    route: string,
  ): Promise<void> {
    try {
      writeAnswer(response, await ingest.handle(request));
      options.onRequest(route, response.statusCode);
    } catch (error) {
      await answerError(request, response, route, error, ingest);
    } finally {
      pipelined.end(request);
    }
  }

  /** Answers with an error, and reads what is left of the body, so that the connection can be used again. */
  async function answerError(
    request: IncomingMessage,
    response: ServerResponse,
    route: string,
    error: unknown,
    ingest: IngestRoute | undefined,
  ): Promise<void> {
    if (error instanceof RequestAborted) {
      options.onRequest(route, CLIENT_GONE);
      return;
    }
    const known = error instanceof ApiError ? error : internalError();
    if (known.code === "internal_error") options.onError(route, known.cause ?? error);
    noteRefusal(request, known);
    request.resume();
    const ofRoute = request.method === "POST" ? await ingest?.answerError?.(known, request) : undefined;
    response.writeHead(known.status, ofRoute?.headers ?? { ...JSON_HEADERS, ...known.headers });
    const body = ofRoute?.body ?? JSON.stringify(known.toBody());
    response.end(request.method === "HEAD" ? undefined : body);
    options.onRequest(route, known.status);
  }

  function noteRefusal(request: IncomingMessage, error: ApiError): void {
    if (isWorthTelling(request.method, error.status)) options.onRefused(refusedRequest(request, error));
  }

  let url = "";
  return {
    get url() {
      return url;
    },
    async start() {
      await app.listen({ host: options.host, port: options.port });
      const address = server?.address();
      const port = typeof address === "object" && address !== null ? address.port : options.port;
      url = `http://${urlHost(options.host)}:${port}`;
    },
    async stop() {
      const closeAll = setTimeout(() => server?.closeAllConnections(), LAST_ANSWERS_MS);
      await app.close();
      clearTimeout(closeAll);
    },
  };
}

/** The status that stands for no answer, as nginx counts it: the client went away before it had one. */
const CLIENT_GONE = 499;
/** The `route` label of a request that matched none. */
const UNKNOWN_ROUTE = "unknown";

/** The path alone. A request may name the whole address (RFC 9112, absolute-form). */
function pathOf(url: string): string {
  const path = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}

/** With its length known an answer leaves in one piece; without, it would be chunked. */
function writeAnswer(response: ServerResponse, { status, headers, body }: IngestAnswer): void {
  const bytes = Buffer.byteLength(body);
  // A list, as Node takes it, and not an object: that one would be made anew for each answer, and be walked for its names.
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? "");
  list.push("Content-Length", String(bytes));
  response.writeHead(status, list);
  // In ASCII text the bytes are the characters, which Node writes without looking at each.
  if (typeof body === "string" && bytes === body.length) response.end(body, "latin1");
  else response.end(body);
}

/** Lets a listed origin in; true where the request was its preflight, which is then answered. */
function answerCors(request: IncomingMessage, response: ServerResponse, allowedOrigin: string): boolean {
  response.setHeader("Access-Control-Allow-Origin", allowedOrigin);
  response.setHeader("Vary", "Origin");
  if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined)
    return false;
  response.setHeader("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
  response.setHeader(
    "Access-Control-Allow-Headers",
    "Content-Type, Content-Encoding, X-API-Key, Authorization",
  );
  response.setHeader("Access-Control-Max-Age", "600");
  response.writeHead(204).end();
  return true;
}

/** The address to open: one that means "every interface" is reached on the loopback one. */
function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
