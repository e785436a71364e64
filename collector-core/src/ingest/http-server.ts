import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fastify, type FastifyInstance } from "fastify";
import { ApiError, internalError } from "../api-schema/errors.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { Lifecycle } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { createResponseBudget } from "./response-budget.js";
import { answerBadHttp } from "./bad-http.js";
import { createCors } from "./cors.js";
import { limitConnections } from "./connection-limits.js";
import { handleErrors } from "./error-responses.js";
import { handleExpectations } from "./expectations.js";
import { createHalfOpenConnections } from "./half-open.js";
import { requireOneHost } from "./one-host.js";
import { isOfApi } from "./api-paths.js";
import { createOpenEndedLimit } from "./open-ended-limit.js";
import type { OriginGuard } from "./origin-guard.js";
import {
  shouldLogRefusal,
  refusedConnection,
  refusedRequest,
  type RefusedRequest,
} from "./refused-request.js";
import { JSON_HEADERS } from "./json-headers.js";
import { lazyValidators } from "./lazy-validators.js";
import { collectMethods } from "./method-not-allowed.js";
import { createPipelinedRequests, tooManyPipelined, whenSocketAssigned } from "./pipelined-requests.js";
import { createReadingTurns } from "./reading-turns.js";
import { noteConnection } from "../runtime/loop-turn.js";
import { RequestAborted } from "../runtime/request-aborted.js";
import { TimeSlice } from "../runtime/time-slice.js";
import type { IngestResponse, IngestRoute } from "./ingest-route.js";
import { createShortChunkLimit } from "./short-chunks.js";
import { resolveTarget } from "./request-target.js";
import { requireKnownCoding } from "./transfer-coding.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The response streams until the client disconnects, which counts as complete. */
    isOpenEnded?: boolean;
    /** Ends another such response, so that a new one fits the limit; false if none can end. */
    makeRoom?: () => boolean;
  }
}

/** Options of {@link createHttpServer}. */
export interface HttpServerOptions {
  /** `server.host` and `server.port`; port 0 selects a free port. */
  readonly host: string;
  readonly port: number;
  readonly guard: OriginGuard;
  /** `multi_tenant.header_name`, which pages of allowed origins may send. */
  readonly tenantHeader: string;
  /** True for routes other than ingestion that require an API key. */
  readonly isProtected: (route: string) => boolean;
  /** Throws `ApiError` unauthorized, rate_limited. */
  readonly authorize: (request: IncomingMessage) => void;
  /** Handlers of POST requests with spans, by path. They bypass Fastify, which would cost a quarter of their throughput. */
  readonly ingestRoutes: Readonly<Record<string, IngestRoute>>;
  /** Adds all other routes. */
  readonly registerRoutes: (app: FastifyInstance) => Promise<void>;
  readonly onRequest: (route: string, status: number) => void;
  /** Called with refused requests; see {@link shouldLogRefusal} for reads. */
  readonly onRefused: (request: RefusedRequest) => void;
  /** True if the route of the request has its own time limit. */
  readonly isExemptFromTimeout: (error: Error & { code?: string }, socket: Socket) => boolean;
  /** Called with unexpected errors; the client receives a 500 without details. */
  readonly onError: (route: string, error: unknown) => void;
  readonly clock: Pick<Clock, "monotonic">;
  /** The account that large responses are charged to. */
  readonly responseBytes: ByteAccount;
  readonly connections: {
    /** `server.max_connections_per_address`. */
    readonly maxPerAddress: number;
    /** Loopback and `server.trusted_proxies`. */
    readonly isExempt: (address: string) => boolean;
    /** Disconnects clients that do not read their responses. */
    readonly cutOffStalled: () => void;
    /** Called when a connection is refused because `max` exist: in total, or from that client. */
    readonly onRefused: (max: number, client: string | undefined) => void;
  };
}

/** The HTTP server: one port for ingestion, scrape, queries and probes (spec 2.6). */
export interface HttpServer extends Lifecycle {
  /** The base URL; empty before start. */
  readonly url: string;
}

/** Limits on slow and greedy clients (reliability.md, "Security"). */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  /** How often Node checks the two timeouts above. */
  connectionsCheckingInterval: 2_000,
  /** Longer than the SDK's flush interval (5 s), so that the SDK can reuse its connection. */
  keepAliveTimeout: 72_000,
} as const;
const MAX_CONNECTIONS = 1000;
/** Responses that stream until the client disconnects. More would leave no connection for spans and probes. */
const MAX_OPEN_ENDED = MAX_CONNECTIONS / 2;
/** A connection without traffic for this long closes while a request is under way. */
const STALLED_MS = 20_000;
/** Time that responses under way have to finish when the server stops. */
const LAST_RESPONSES_MS = 500;
/** A refused request takes as long as this many short chunks. */
const CHUNKS_OF_A_REQUEST = 16;
/** A trace id of 128 characters, each percent-encoded from four bytes of UTF-8. */
const MAX_PARAM_LENGTH = 128 * 12;

export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const ingestRoutes = new Map(Object.entries(options.ingestRoutes));
  const addCors = createCors(options.tenantHeader);
  const responseBudget = createResponseBudget(options.responseBytes);
  const pipelined = createPipelinedRequests();
  const halfOpen = createHalfOpenConnections();
  const readingTurns = createReadingTurns(options.clock);
  const shortChunks = createShortChunkLimit(readingTurns);
  /** Connections that close after a refusal, with its status: of too many pipelined requests, or of an unknown end of the body. */
  const closing = new WeakMap<Socket, number>();
  const openEnded = createOpenEndedLimit({
    max: MAX_OPEN_ENDED,
    maxPerAddress: Math.ceil(options.connections.maxPerAddress / 2),
    isExempt: options.connections.isExempt,
  });
  let server: Server | undefined;
  const app = fastify({
    serverFactory: (handleByFastify) => {
      server = createServer(LIMITS, (request, response) => handle(request, response, handleByFastify));
      handleExpectations(server, (request, response, unmet) =>
        handle(request, response, handleByFastify, unmet),
      );
      // A client that stops reading keeps its response in memory.
      server.timeout = STALLED_MS;
      limitConnections(server, {
        ...options.connections,
        maxConnections: MAX_CONNECTIONS,
        clock: options.clock,
        destroyHalfOpen: () => halfOpen.destroyAll(),
      });
      server.on("connection", (socket) => halfOpen.watch(socket));
      server.on("connection", (socket) => readingTurns.add(socket));
      server.on("connection", noteConnection);
      server.on("drop", noteConnection);
      return server;
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: {
      compilersFactory: {
        buildValidator: lazyValidators(options.clock),
        // Response schemas are documentation that tests compare with real responses; JSON.stringify serializes.
        buildSerializer: () => () => (data) => JSON.stringify(data),
      },
    },
    // A URL that cannot be decoded never reaches a route.
    frameworkErrors: (_error, _request, reply) => {
      const error = new ApiError("not_found", "The path is not a valid address.");
      reply.hijack();
      reply.raw.writeHead(error.status, JSON_HEADERS).end(JSON.stringify(error.toBody()));
      options.onRequest(UNKNOWN_ROUTE, error.status);
    },
    clientErrorHandler: (error, socket) => {
      if (options.isExemptFromTimeout(error, socket)) return;
      const answered = answerBadHttp(error, socket);
      if (answered !== undefined) options.onRefused(refusedConnection(answered, socket));
    },
    // Probes answer during the shutdown themselves.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    exposeHeadRoutes: true,
  });
  // A route that reads a body has a parser of its own: errors about the method or the path take precedence over those about a body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null);
  });
  app.addHook("onSend", async ({ raw }, reply) => {
    reply.header("X-Content-Type-Options", "nosniff");
    // After the response, Node would discard the rest of the body without counting its chunks.
    if (isChunkedBody(raw) && raw.readableFlowing === null) raw.resume();
  });
  app.addHook("onRequest", (request, { raw }, done) => {
    const { url = UNKNOWN_ROUTE, config } = request.routeOptions;
    raw.once("close", () => {
      const isAnswered = raw.writableFinished || (raw.headersSent && config.isOpenEnded === true);
      options.onRequest(url, isAnswered ? raw.statusCode : CLIENT_GONE);
    });
    done();
  });
  handleErrors(app, options.onError, ({ raw }, error) => noteRefusal(raw, error));
  const answerWrongMethods = collectMethods(app, [...ingestRoutes.keys()]);
  // A scope of its own, because a 405 takes precedence over a missing API key.
  await app.register(async (scope) => {
    scope.addHook("onRequest", async ({ routeOptions, raw }) => {
      if (options.isProtected(routeOptions.url ?? "")) options.authorize(raw);
    });
    scope.addHook("onRequest", async ({ routeOptions, socket }, { raw }) => {
      if (routeOptions.config.isOpenEnded !== true) return;
      openEnded.admit(raw, socket.remoteAddress ?? "", routeOptions.config.makeRoom);
    });
    scope.addHook("onSend", async ({ routeOptions }, { raw }, payload) =>
      // Probes, scrapes and pages are small or streamed, and are not charged.
      isOfApi(routeOptions.url ?? "") ? await responseBudget.charge(payload, raw) : payload,
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
    resolveTarget(request);
    const path = pathOf(request.url ?? "/");
    const ingest = ingestRoutes.get(path);
    const route = ingest === undefined ? UNKNOWN_ROUTE : path;
    const isChunked = isChunkedBody(request);
    if (isChunked) shortChunks.watch(request);
    // The connection closes after the first refusal. The parser finishes the bytes that it has.
    const closingStatus = closing.get(request.socket);
    const isOverLimit = closingStatus === undefined && !pipelined.begin(request);
    if (isOverLimit || closingStatus !== undefined)
      readingTurns.of(request.socket)?.count(CHUNKS_OF_A_REQUEST);
    if (closingStatus !== undefined) {
      request.resume();
      options.onRequest(route, closingStatus);
      return;
    }
    if (isOverLimit) {
      closing.set(request.socket, tooManyPipelined().status);
      refusePipelined(request, response, route);
      return;
    }
    try {
      if (isChunked) requireKnownCoding(request);
      requireOneHost(request);
      const { allowedOrigin } = options.guard(request);
      if (allowedOrigin !== undefined && addCors(request, response, allowedOrigin)) {
        options.onRequest(route, 204);
        pipelined.end(request);
        return;
      }
      if (unmetExpectation !== undefined) throw unmetExpectation;
    } catch (error) {
      if (error instanceof ApiError && error.headers["Connection"] === "close")
        closing.set(request.socket, error.status);
      void sendError(request, response, route, error, ingest).finally(() => pipelined.end(request));
      return;
    }
    if (ingest !== undefined && request.method === "POST") {
      void answerIngest(ingest, request, response, route);
      return;
    }
    response.once("close", () => pipelined.end(request));
    // Node would discard a body without a reader, and not count its chunks.
    if (isChunked && !mayHaveReader(request)) request.resume();
    const answer = (): void => handleByFastify(request, response);
    // Probes, scrapes and pages hold little memory and do not wait for pipelined responses before them. An encoded path
    // may be that of a query: Fastify decodes `/%761/traces`.
    if (isOfApi(path) || path.includes("%")) whenSocketAssigned(response, () => answerInSlice(answer));
    else answer();
  }

  /** Spreads queries that arrive together over turns of the event loop, so that probes and spans are served in between. */
  function answerInSlice(answer: () => void): void {
    const slice = new TimeSlice(options.clock);
    if (slice.isOver()) void slice.next().then(answer);
    else answer();
  }

  function refusePipelined(request: IncomingMessage, response: ServerResponse, route: string): void {
    const error = tooManyPipelined();
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
      writeResponse(response, await ingest.handle(request));
      options.onRequest(route, response.statusCode);
    } catch (error) {
      await sendError(request, response, route, error, ingest);
    } finally {
      pipelined.end(request);
    }
  }

  /** Responds with an error and discards the rest of the body, so that the connection can be reused. */
  async function sendError(
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
    const ofRoute = request.method === "POST" ? await ingest?.formatError?.(known, request) : undefined;
    response.writeHead(known.status, ofRoute?.headers ?? { ...JSON_HEADERS, ...known.headers });
    const body = ofRoute?.body ?? JSON.stringify(known.toBody());
    response.end(request.method === "HEAD" ? undefined : body);
    options.onRequest(route, known.status);
  }

  function noteRefusal(request: IncomingMessage, error: ApiError): void {
    if (shouldLogRefusal(request.method, error.status)) options.onRefused(refusedRequest(request, error));
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
      const closeAll = setTimeout(() => server?.closeAllConnections(), LAST_RESPONSES_MS);
      await app.close();
      clearTimeout(closeAll);
    },
  };
}

/** Client closed the request before the response, as in nginx. */
const CLIENT_GONE = 499;
/** The `route` label of a request that matched no route. */
const UNKNOWN_ROUTE = "unknown";

/** The path without the query. */
function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

function isChunkedBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined;
}

/** Whether a route of Fastify may read the body. It attaches its reader only after the hooks. */
function mayHaveReader({ method = "" }: IncomingMessage): boolean {
  return method === "POST" || method === "PUT";
}

/** Sets Content-Length, which avoids a chunked response. */
function writeResponse(response: ServerResponse, { status, headers, body }: IngestResponse): void {
  const bytes = Buffer.byteLength(body);
  // Node accepts a flat list without the cost of an object per response.
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? "");
  list.push("Content-Length", String(bytes));
  response.writeHead(status, list);
  // Node writes latin1 without encoding; ASCII text has the same bytes.
  if (typeof body === "string" && bytes === body.length) response.end(body, "latin1");
  else response.end(body);
}

/** The host to connect to: loopback if the server listens on all interfaces. */
function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
