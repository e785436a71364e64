import type {
  ErrorBody,
  ErrorCode,
  Facets,
  NormalizedSpan,
  TraceDetail,
  TraceList,
} from "@obspan/collector-core/contract";

/** What the collector answered instead of what was asked, or that it did not answer. */
export class CollectorError extends Error {
  override readonly name = "CollectorError";

  constructor(
    /** `unreachable` where nothing answered. */
    readonly code: ErrorCode | "unreachable",
    message: string,
  ) {
    super(message);
  }
}

/** The filters of a list of traces, as `GET /v1/traces` takes them. */
export interface TraceFilters {
  readonly trace_id?: string;
  readonly service?: string;
  readonly env?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly status?: string;
  readonly q?: string;
}

/** The collector's HTTP API, as far as the app uses it. Every call rejects with a {@link CollectorError}. */
export interface CollectorApi {
  listTraces(
    query: TraceFilters & { limit?: number; cursor?: string },
    signal?: AbortSignal,
  ): Promise<TraceList>;
  getTrace(traceId: string, signal?: AbortSignal): Promise<TraceDetail>;
  /** One span with its texts whole. */
  getSpan(traceId: string, spanId: string, signal?: AbortSignal): Promise<NormalizedSpan>;
  getFacets(filters: TraceFilters, signal?: AbortSignal): Promise<Facets>;
  deleteTrace(traceId: string): Promise<void>;
  deleteAllTraces(): Promise<void>;
  /** Posts a batch as an app would. */
  sendBatch(batch: unknown): Promise<void>;
}

/** @param baseUrl - where the collector is; `""` for the page's own origin. */
export function createCollectorApi(baseUrl = ""): CollectorApi {
  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(baseUrl + path, init);
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new CollectorError("unreachable", "The collector does not answer.");
    }
    if (response.ok) return response;
    throw await errorOf(response);
  }

  async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
    const response = await call(path, signal === undefined ? {} : { signal });
    return (await response.json()) as T;
  }

  return {
    listTraces: (query, signal) => getJson(`/v1/traces${queryString(query)}`, signal),
    getTrace: (traceId, signal) => getJson(`/v1/traces/${encodeURIComponent(traceId)}`, signal),
    getSpan: (traceId, spanId, signal) =>
      getJson(`/v1/traces/${encodeURIComponent(traceId)}/spans/${encodeURIComponent(spanId)}`, signal),
    getFacets: (filters, signal) => getJson(`/v1/facets${queryString(filters)}`, signal),
    async deleteTrace(traceId) {
      await call(`/v1/traces/${encodeURIComponent(traceId)}`, { method: "DELETE" });
    },
    async deleteAllTraces() {
      await call("/v1/traces", { method: "DELETE" });
    },
    async sendBatch(batch) {
      const headers = { "Content-Type": "application/json" };
      await call("/v1/telemetry", { method: "POST", headers, body: JSON.stringify(batch) });
    },
  };
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
