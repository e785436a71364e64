import { isInModelRun, isRecording } from "../../capture/integration.js";
import { fieldsOf, member, parseJsonOrText } from "../json-fields.js";
import { isUserAbort } from "../model-client/api-error.js";
import type { ClientLibrary } from "../model-client/client-library.js";
import { ModelCall } from "../model-client/model-call.js";
import type { ModelOperation } from "../model-client/operation.js";
import { followRawResponse } from "../model-client/raw-response.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import { endpointOf, type Endpoint } from "./endpoints.js";
import { createReader } from "./body-readers.js";
import { loadReader, type FormatReader } from "./load-reader.js";

/** Largest request body that is read, in characters. A larger one is only sent. */
const MAX_BODY = 16 * 1024 * 1024;
/** Marks the hook, also for other copies of this package in the same process. */
const HOOKED = Symbol.for("obspan.fetch.hooked");

const LIBRARY: ClientLibrary = {
  wrapper: "fetch",
  expectedClient: "a request",
  methods: [],
  providerOf: () => "unknown",
  describeError: () => ({}),
  isUserAbort: (error) => isUserAbort(error) || member(error, "name") === "TimeoutError",
  requestIdHeader: "x-request-id",
};

type Fetch = typeof globalThis.fetch;

/** What the hook has done, for `OBS_DEBUG`. */
export interface FetchHook {
  /** Requests that were recorded, by host. */
  readonly recorded: ReadonlyMap<string, number>;
}

/** Hosts that are counted at most. */
const MAX_HOSTS = 100;

/**
 * Records the requests to providers of models that the app sends with `globalThis.fetch`, whichever client it uses. A request
 * of a wrapped client, or of a framework whose model calls are recorded, is recorded there only. Any other request passes
 * unchanged.
 *
 * @param hosts - further hosts of providers: `OBS_PROVIDER_HOSTS`.
 * @returns undefined if it is hooked already, or if there is no fetch.
 */
export function hookFetch(hosts: readonly string[]): FetchHook | undefined {
  const original: Fetch | undefined = globalThis.fetch;
  if (typeof original !== "function" || HOOKED in original) return undefined;
  const recorded = new Map<string, number>();
  const hooked = function fetch(this: unknown, ...args: Parameters<Fetch>): Promise<Response> {
    const request = ignoringErrors(() => recognise(args, hosts));
    if (request === undefined || !isRecording() || isInModelRun()) return Reflect.apply(original, this, args);
    const { endpoint, host } = request;
    if (recorded.size < MAX_HOSTS || recorded.has(host)) recorded.set(host, (recorded.get(host) ?? 0) + 1);
    return record(endpoint, args, () => Reflect.apply(original, this, args));
  };
  // Bun has further members, such as preconnect().
  for (const key of Reflect.ownKeys(original)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(original, key);
    if (descriptor?.configurable === true) Object.defineProperty(hooked, key, descriptor);
  }
  Object.defineProperty(hooked, HOOKED, { value: true });
  globalThis.fetch = hooked;
  return { recorded };
}

/** @returns undefined if the request does not call a model. */
function recognise(
  [input, init]: Parameters<Fetch>,
  hosts: readonly string[],
): { readonly endpoint: Endpoint; readonly host: string } | undefined {
  const text = input instanceof Request ? input.url : input instanceof URL ? input.href : input;
  if (typeof text !== "string" || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const endpoint = endpointOf(url, hosts);
  const method = init?.method ?? (input instanceof Request ? input.method : "GET");
  if (method.toUpperCase() !== "POST") return undefined;
  return endpoint && { endpoint, host: url.host };
}

/** Sends the request at once: the app may change what it passed to fetch directly after the call. */
function record(
  { provider, format, fields, isStream = false }: Endpoint,
  [input, init]: Parameters<Fetch>,
  send: () => Promise<Response>,
): Promise<Response> {
  const startCall = (reader: FormatReader, content: unknown): Started => {
    const body = fieldsOf(content) ?? {};
    const request = { ...fields, ...body };
    const operation = withModel(reader.operationOf(request), fields?.["model"]);
    const call = new ModelCall(
      { client: {}, library: LIBRARY, operation, options: { provider } },
      request,
      isStream || body["stream"] === true,
    );
    return { call, reader };
  };
  const [reader, body] = ignoringErrors(() => [loadReader(format), bodyOf(input, init)] as const) ?? [];
  if (reader === undefined) return send();
  if (reader instanceof Promise || body instanceof Promise) {
    const sent = send();
    // A server may answer before it has the whole body, which then never ends.
    const isAnswered = sent.then(nextTurn, nextTurn);
    const started = Promise.all([reader, Promise.race([body, isAnswered])]).then(
      ([loaded, read]) => startCall(loaded, read),
      () => undefined,
    );
    return follow(sent, started);
  }
  const started = ignoringErrors(() => startCall(reader, body));
  return started === undefined
    ? send()
    : follow(
        started.call.run(async () => await send()),
        started,
      );
}

async function nextTurn(): Promise<void> {
  await new Promise(setImmediate);
}

/** A call whose span has started. */
interface Started {
  readonly call: ModelCall;
  readonly reader: FormatReader;
}

async function follow(
  sent: Promise<Response>,
  starting: Started | Promise<Started | undefined>,
): Promise<Response> {
  const [result, started] = await Promise.all([
    sent.then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    ),
    starting,
  ]);
  if ("error" in result) {
    started?.call.fail(result.error);
    throw result.error;
  }
  const { response } = result;
  if (started === undefined) return response;
  const { headers } = response;
  const { readBody } = started.reader;
  return followRawResponse(response, started.call, {
    createReader,
    ...(readBody !== undefined && { readBody: (body) => readBody(body, headers) }),
  }) as Response;
}

/** Some providers name the model in the path only, not in their responses. */
function withModel(operation: ModelOperation, model: string | undefined): ModelOperation {
  if (model === undefined) return operation;
  return { ...operation, readResponse: (response) => ({ model, ...operation.readResponse(response) }) };
}

/** The JSON of a request's body; undefined if reading it would disturb the request. */
function bodyOf(input: unknown, init: RequestInit | undefined): unknown {
  const body: unknown = init?.body;
  if (typeof body === "string") return body.length > MAX_BODY ? undefined : parseJsonOrText(body);
  if (body instanceof ArrayBuffer || body instanceof Uint8Array)
    return body.byteLength > MAX_BODY ? undefined : parseJsonOrText(new TextDecoder().decode(body));
  if (body !== undefined && body !== null) return undefined;
  if (!(input instanceof Request) || input.bodyUsed) return undefined;
  return input.clone().text().then(parseJsonOrText);
}
