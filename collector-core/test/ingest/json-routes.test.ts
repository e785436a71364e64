import { expect, it, describe } from "vitest";
import { errorOf, startCollector } from "../running-collector.js";

/** Not valid JSON: a body that is refused with another error was not parsed. */
const numbers = (count: number): string => `[${new Array<number>(count).fill(1).join(",")}`;
const MANY = numbers(500_000);
const TOO_MANY = numbers(2_100_000);

interface JsonRoute {
  readonly method: string;
  readonly body: string;
  readonly status: number;
  readonly code: string;
  readonly type?: string;
}

/** The largest list that fits into the body of a route, and its error. */
const ROUTES: Readonly<Record<string, JsonRoute>> = {
  "/v1/telemetry": { method: "POST", body: TOO_MANY, status: 413, code: "batch_too_large" },
  "/v1/traces": { method: "POST", body: TOO_MANY, status: 413, code: "batch_too_large" },
  "/v1/import": {
    method: "POST",
    body: TOO_MANY,
    status: 413,
    code: "batch_too_large",
    type: "application/jsonl",
  },
  "/v1/evaluations": { method: "POST", body: MANY, status: 400, code: "invalid_payload" },
  "/v1/config": { method: "PUT", body: numbers(120_000), status: 400, code: "invalid_payload" },
  "/v1/config/check": { method: "POST", body: numbers(120_000), status: 400, code: "invalid_payload" },
  "/v1/session": { method: "POST", body: numbers(100_000), status: 413, code: "body_too_large" },
  "/v1/views/{id}": { method: "PUT", body: numbers(100_000), status: 413, code: "body_too_large" },
  "/mcp": { method: "POST", body: numbers(100_000), status: 400, code: "invalid_payload" },
  "/v1/store/prune": { method: "POST", body: numbers(100_000), status: 413, code: "body_too_large" },
};

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

describe("reliability: the values of a JSON body are counted before it is parsed", () => {
  it("has a row for each route that takes a JSON body", async () => {
    const { get } = await startCollector();
    const { paths } = await get<{ paths: Record<string, Record<string, Operation>> }>("/openapi.json");
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { requestBody }]) => requestBody !== undefined)
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.toSorted()).toEqual(
      Object.entries(ROUTES)
        .map(([path, { method }]) => `${method} ${path}`)
        .toSorted(),
    );
  });

  it.each(Object.entries(ROUTES))("%s", async (path, { method, body, status, code, type }) => {
    const { url } = await startCollector();
    const headers = { "Content-Type": type ?? "application/json" };
    const response = await fetch(url + path, { method, headers, body });
    if (path === "/v1/traces") {
      // OTLP has its own error, with the code in the message.
      expect(response.status).toBe(status);
      expect(await response.text()).toContain(`"${code}: `);
    } else expect(await errorOf(response)).toMatchObject({ status, code });
  });

  it("POST /v1/evaluations accepts the largest list that it allows", async () => {
    const { url } = await startCollector();
    const ids = Array.from({ length: 1000 }, (_, n) => `trace-${n}`);
    const body = JSON.stringify({
      types: ["relevance"],
      tenant: "default",
      trace_ids: ids,
      spans: ids.map((id) => ({ trace_id: id, span_id: "s" })),
    });
    const headers = { "Content-Type": "application/json" };
    const error = await errorOf(await fetch(`${url}/v1/evaluations`, { method: "POST", headers, body }));
    expect(error.code).toBe("evaluation_unavailable");
  });
});
