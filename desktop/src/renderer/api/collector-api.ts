import { isDots } from "./dot-ids.js";
import { encodeComponent } from "./url-component.js";
import type {
  ConfigChange,
  ConfigCheck,
  CallContext,
  ConfigDescription,
  ErrorBody,
  ErrorCode,
  EvaluationList,
  EvaluationQuery,
  EvaluationRun,
  EvaluationRunAnswer,
  EvaluationSummary,
  EvaluationSummaryQuery,
  Events,
  Facets,
  GroupOrder,
  Histogram,
  ImportResult,
  NormalizedSpan,
  PriceTable,
  SessionDetail,
  SessionList,
  SessionOrder,
  SessionTracesQuery,
  ShareFormat,
  Stats,
  StatsQuery,
  TraceComparison,
  TraceDetail,
  TraceGroups,
  TraceList,
  TraceOrder,
  ViewContent,
  ViewList,
} from "@obspan/collector-core/api-schema";

/** A failed request: the error that the collector answered, or that it did not answer. */
export class CollectorError extends Error {
  override readonly name = "CollectorError";

  constructor(
    /** `unreachable` if nothing answered. */
    readonly code: ErrorCode | "unreachable",
    message: string,
  ) {
    super(message);
  }
}

/** The collector's error, or an internal error with the message. */
export function asCollectorError(error: unknown): CollectorError {
  if (error instanceof CollectorError) return error;
  return new CollectorError("internal_error", error instanceof Error ? error.message : String(error));
}

/** The filters of a list of traces, as `GET /v1/traces` takes them. */
export interface TraceFilters {
  readonly trace_id?: string;
  readonly service?: string;
  readonly env?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly status?: string;
  readonly span_type?: string;
  readonly tenant?: string;
  /** `true`, `false`, or what was judged. */
  readonly has_evaluation?: string;
  readonly min_duration_ms?: string;
  readonly root_name?: string;
  /** RFC 3339, as `until`. */
  readonly since?: string;
  readonly until?: string;
  readonly q?: string;
  /** Conditions in the query language. */
  readonly query?: string;
}

/** Names one trace. Two tenants can have traces with the same id. */
export interface TraceKey {
  readonly traceId: string;
  /**
   * Empty if the collector is not multi-tenant. Undefined if not known: an id of several tenants is then answered with
   * `ambiguous_trace`.
   */
  readonly tenant: string | undefined;
}

/** Names one session. Two tenants can have sessions with the same id. */
export interface SessionKey {
  readonly sessionId: string;
  /** As of {@link TraceKey}: an id of several tenants is answered with `ambiguous_session`. */
  readonly tenant: string | undefined;
}

/** Spans of a trace that are shown. A page of more would stand still while it is read. */
const MAX_SPANS = 10_000;
/** Bytes of spans after which short texts are previews too. The text of a selected span is loaded then. */
const MAX_WHOLE_BYTES = 16 * 1024 * 1024;

/** The part of the collector's HTTP API that the app uses. Every call rejects with a {@link CollectorError}. */
export interface CollectorApi {
  listTraces(
    query: TraceFilters & { session?: string; limit?: number; cursor?: string; order?: TraceOrder },
    signal?: AbortSignal,
  ): Promise<TraceList>;
  /** At most the first 10,000 spans. */
  getTrace(key: TraceKey, signal?: AbortSignal): Promise<TraceDetail>;
  /** Two traces step by step. */
  compareTraces(a: TraceKey, b: TraceKey, signal?: AbortSignal): Promise<TraceComparison>;
  listSessions(
    query: TraceFilters & { limit?: number; cursor?: string; order?: SessionOrder },
    signal?: AbortSignal,
  ): Promise<SessionList>;
  /** One session with a page of its traces. */
  getSession(key: SessionKey, query: SessionTracesQuery, signal?: AbortSignal): Promise<SessionDetail>;
  /** One span with its full texts. */
  getSpan(key: TraceKey, spanId: string, signal?: AbortSignal): Promise<NormalizedSpan>;
  /** What fills the context window of a model call. */
  getContext(key: TraceKey, spanId: string, signal?: AbortSignal): Promise<CallContext>;
  /** @param filters - with `contains`, only values that contain that text. */
  getFacets(filters: TraceFilters & { contains?: string }, signal?: AbortSignal): Promise<Facets>;
  /** @param buckets - the largest number of buckets to return. */
  getHistogram(filters: TraceFilters, buckets: number, signal?: AbortSignal): Promise<Histogram>;
  /** The figures of the matching traces, by value of a key. */
  getGroups(
    query: TraceFilters & { readonly by: string; readonly order: GroupOrder; readonly contains?: string },
    signal?: AbortSignal,
  ): Promise<TraceGroups>;
  /** The URL that downloads the matching traces as a file. */
  exportAddress(filters: TraceFilters): string;
  /** The URL that downloads all traces of the matching sessions as a file. */
  sessionsExportAddress(filters: TraceFilters): string;
  /**
   * The URL that downloads one trace as a file.
   *
   * @param isRaw - texts as they are; by default, personal data and secrets are replaced.
   */
  traceFileAddress(key: TraceKey, format: ShareFormat, isRaw?: boolean): string;
  /** The same of a session: its conversation, or the lines of all its traces. */
  sessionFileAddress(key: SessionKey, format: ShareFormat, isRaw?: boolean): string;
  /** The conversation of a session as Markdown, without personal data and secrets. */
  readSessionMarkdown(key: SessionKey): Promise<string>;
  /** One trace as OTLP-JSON lines. */
  exportTrace(key: TraceKey): Promise<Blob>;
  /** All traces of one session as OTLP-JSON lines. */
  exportSession(key: SessionKey): Promise<Blob>;
  /** Imports complete lines of such a file. */
  importTraces(lines: Blob): Promise<ImportResult>;
  listEvaluations(query: EvaluationQuery, signal?: AbortSignal): Promise<EvaluationList>;
  getEvaluationSummary(query: EvaluationSummaryQuery, signal?: AbortSignal): Promise<EvaluationSummary>;
  /** Rejects with `evaluation_unavailable` if evaluation is off. */
  runEvaluations(run: EvaluationRun): Promise<EvaluationRunAnswer>;
  getStats(query: StatsQuery, signal?: AbortSignal): Promise<Stats>;
  getEvents(signal?: AbortSignal): Promise<Events>;
  getConfig(signal?: AbortSignal): Promise<ConfigDescription>;
  /** Says what {@link putConfig} would do. */
  checkConfig(values: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ConfigCheck>;
  /** Writes values into the configuration file; null removes a key. */
  putConfig(values: Readonly<Record<string, unknown>>): Promise<ConfigChange>;
  getPrices(signal?: AbortSignal): Promise<PriceTable>;
  /** The prices of models by their names in spans, without those that have none. */
  findPrices(models: readonly string[], signal?: AbortSignal): Promise<PriceTable>;
  getViews(signal?: AbortSignal): Promise<ViewList>;
  putView(id: string, content: ViewContent): Promise<void>;
  deleteView(id: string): Promise<void>;
  deleteTrace(key: TraceKey): Promise<void>;
  deleteAllTraces(): Promise<void>;
  /** Posts a batch as an app would, for a tenant if one is named. */
  sendBatch(batch: unknown, tenant?: string): Promise<void>;
  /** Signs this browser in. The collector answers with a cookie that scripts cannot read. */
  openSession(key: string): Promise<void>;
  /** Signs this browser out. */
  closeSession(): Promise<void>;
  /** False if the collector requires a key and this browser has no session. */
  hasAccess(): Promise<boolean>;
}

export interface CollectorApiOptions {
  /** The collector's URL. Default: the page's own origin. */
  readonly baseUrl?: string;
  /** Called when a request is refused because no key was sent. */
  readonly onUnauthorized?: () => void;
}

const SESSION = "/v1/session";
const JSON_BODY = { "Content-Type": "application/json" };

export function createCollectorApi({
  baseUrl = "",
  onUnauthorized = () => undefined,
}: CollectorApiOptions = {}): CollectorApi {
  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(baseUrl + path, init);
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new CollectorError("unreachable", "The collector does not answer.");
    }
    if (response.ok) return response;
    const error = await errorOf(response);
    // The sign-in form itself reports a wrong key.
    if (error.code === "unauthorized" && path !== SESSION) onUnauthorized();
    throw error;
  }

  async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
    const response = await call(path, signal === undefined ? {} : { signal });
    return (await response.json()) as T;
  }

  const getConfig = (signal?: AbortSignal): Promise<ConfigDescription> => getJson("/v1/config", signal);

  /** Not cached, because a restarted collector may use another header. */
  async function tenantHeader(): Promise<string> {
    const { config } = await getConfig();
    return String(config["multi_tenant.header_name"]?.value);
  }

  return {
    listTraces: (query, signal) => getJson(`/v1/traces${queryString(query)}`, signal),
    getTrace: (key, signal) =>
      getJson(tracePath(key, { max_spans: MAX_SPANS, max_bytes: MAX_WHOLE_BYTES }), signal),
    compareTraces: (a, b, signal) =>
      getJson(
        `/v1/compare${queryString({ a: a.traceId, b: b.traceId, tenant: a.tenant, tenant_b: b.tenant })}`,
        signal,
      ),
    listSessions: (query, signal) => getJson(`/v1/sessions${queryString(query)}`, signal),
    getSession: (key, query, signal) => getJson(sessionPath(key, query), signal),
    getSpan: (key, spanId, signal) => getJson(spanPath(key, spanId), signal),
    getContext: (key, spanId, signal) => getJson(contextPath(key, spanId), signal),
    getFacets: (filters, signal) => getJson(`/v1/facets${queryString(filters)}`, signal),
    getHistogram: (filters, buckets, signal) =>
      getJson(`/v1/histogram${queryString({ ...filters, buckets })}`, signal),
    getGroups: (query, signal) => getJson(`/v1/groups${queryString(query)}`, signal),
    exportAddress: (filters) => `${baseUrl}/v1/export${queryString(filters)}`,
    sessionsExportAddress: (filters) =>
      `${baseUrl}/v1/export${queryString({ ...filters, whole_sessions: "true" })}`,
    traceFileAddress({ traceId, tenant }, format, isRaw = false) {
      const query = { format, raw: isRaw ? "true" : undefined, tenant };
      return isDots(traceId)
        ? `${baseUrl}/v1/trace-export${queryString({ trace_id: traceId, ...query })}`
        : `${baseUrl}/v1/traces/${encodeComponent(traceId)}/export${queryString(query)}`;
    },
    sessionFileAddress: (key, format, isRaw = false) => baseUrl + sessionFilePath(key, format, isRaw),
    readSessionMarkdown: async (key) => await (await call(sessionFilePath(key, "markdown", false))).text(),
    async exportTrace({ traceId, tenant }) {
      const query = queryString({ trace_id: traceId, tenant });
      return await (await call(`/v1/export${query}`)).blob();
    },
    exportSession: async (key) => await (await call(sessionFilePath(key, "jsonl", false))).blob(),
    async importTraces(lines) {
      const headers = { "Content-Type": "application/jsonl" };
      const response = await call("/v1/import", { method: "POST", headers, body: lines });
      return (await response.json()) as ImportResult;
    },
    listEvaluations: (query, signal) => getJson(`/v1/evaluations${queryString(query)}`, signal),
    getEvaluationSummary: (query, signal) => getJson(`/v1/evaluations/summary${queryString(query)}`, signal),
    async runEvaluations(run) {
      const body = JSON.stringify(run);
      const response = await call("/v1/evaluations", { method: "POST", headers: JSON_BODY, body });
      return (await response.json()) as EvaluationRunAnswer;
    },
    getStats: (query, signal) => getJson(`/v1/stats${queryString(query)}`, signal),
    getEvents: (signal) => getJson("/v1/events", signal),
    getConfig,
    async checkConfig(config, signal) {
      const body = JSON.stringify({ config });
      const init = { method: "POST", headers: JSON_BODY, body, ...(signal === undefined ? {} : { signal }) };
      return (await (await call("/v1/config/check", init)).json()) as ConfigCheck;
    },
    async putConfig(config) {
      const body = JSON.stringify({ config });
      return (await (
        await call("/v1/config", { method: "PUT", headers: JSON_BODY, body })
      ).json()) as ConfigChange;
    },
    getPrices: (signal) => getJson("/v1/prices", signal),
    findPrices(models, signal) {
      const query = new URLSearchParams(models.map((model) => ["model", model]));
      return getJson(`/v1/prices?${query.toString()}`, signal);
    },
    getViews: (signal) => getJson("/v1/views", signal),
    async putView(id, content) {
      const body = JSON.stringify(content);
      await call(`/v1/views/${encodeComponent(id)}`, { method: "PUT", headers: JSON_BODY, body });
    },
    async deleteView(id) {
      await call(`/v1/views/${encodeComponent(id)}`, { method: "DELETE" });
    },
    async deleteTrace(key) {
      await call(tracePath(key), { method: "DELETE" });
    },
    async deleteAllTraces() {
      await call("/v1/traces", { method: "DELETE" });
    },
    async sendBatch(batch, tenant = "") {
      const headers = { ...JSON_BODY, ...(tenant === "" ? {} : { [await tenantHeader()]: tenant }) };
      await call("/v1/telemetry", { method: "POST", headers, body: JSON.stringify(batch) });
    },
    async openSession(key) {
      await call(SESSION, { method: "POST", headers: JSON_BODY, body: JSON.stringify({ key }) });
    },
    async closeSession() {
      await call(SESSION, { method: "DELETE" });
    },
    async hasAccess() {
      try {
        await call("/v1/traces?limit=1");
        return true;
      } catch (error) {
        return !(error instanceof CollectorError && error.code === "unauthorized");
      }
    },
  };
}

/**
 * A known tenant is sent even if it is empty: a proxy may add a tenant header, and another tenant may have the same id.
 */
function tracePath(
  { traceId, tenant }: TraceKey,
  query: { readonly max_spans?: number; readonly max_bytes?: number } = {},
): string {
  if (isDots(traceId)) return `/v1/trace${queryString({ trace_id: traceId, tenant, ...query })}`;
  return `/v1/traces/${encodeComponent(traceId)}${queryString({ tenant, ...query })}`;
}

function sessionPath({ sessionId, tenant }: SessionKey, query: SessionTracesQuery): string {
  if (isDots(sessionId))
    return `/v1/session-traces${queryString({ ...query, session_id: sessionId, tenant })}`;
  return `/v1/sessions/${encodeComponent(sessionId)}${queryString({ ...query, tenant })}`;
}

function sessionFilePath({ sessionId, tenant }: SessionKey, format: ShareFormat, isRaw: boolean): string {
  const query = { format, raw: isRaw ? "true" : undefined, tenant };
  return isDots(sessionId)
    ? `/v1/session-export${queryString({ session_id: sessionId, ...query })}`
    : `/v1/sessions/${encodeComponent(sessionId)}/export${queryString(query)}`;
}

function spanPath({ traceId, tenant }: TraceKey, spanId: string): string {
  if (isDots(traceId) || isDots(spanId))
    return `/v1/span${queryString({ trace_id: traceId, span_id: spanId, tenant })}`;
  const path = `/v1/traces/${encodeComponent(traceId)}/spans/${encodeComponent(spanId)}`;
  return path + queryString({ tenant });
}

function contextPath({ traceId, tenant }: TraceKey, spanId: string): string {
  if (isDots(traceId) || isDots(spanId))
    return `/v1/context${queryString({ trace_id: traceId, span_id: spanId, tenant })}`;
  const path = `/v1/traces/${encodeComponent(traceId)}/context/${encodeComponent(spanId)}`;
  return path + queryString({ tenant });
}

function queryString(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

async function errorOf(response: Response): Promise<CollectorError> {
  try {
    const { error } = (await response.json()) as ErrorBody;
    return new CollectorError(error.code, error.message);
  } catch {
    return new CollectorError("internal_error", `The collector answered ${response.status}.`);
  }
}
