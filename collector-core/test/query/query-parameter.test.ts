import { describe, expect, it } from "vitest";
import type { Facets, Histogram, TraceList } from "../../src/api-schema/trace.js";
import type { TraceGroups } from "../../src/api-schema/groups.js";
import { QUERY_LIMITS } from "../../src/api-schema/query/parse-query.js";
import { errorOf, span, startCollector } from "../running-collector.js";

async function start() {
  const running = await startCollector();
  await running.post({
    version: "2.0",
    spans: [
      span({ trace_id: "a", attributes: { "customer.tier": "gold", session_id: "s" } }),
      span({ trace_id: "b", status: "ERROR", attributes: { "customer.tier": "silver" } }),
    ],
  });
  await running.settled();
  const path = (route: string, query: string): string => `/v1/${route}query=${encodeURIComponent(query)}`;
  return {
    ...running,
    ask: <T>(route: string, query: string): Promise<T> => running.get<T>(path(route, query)),
    refusal: async (route: string, query: string) => errorOf(await fetch(running.url + path(route, query))),
  };
}

const ROUTES = ["traces?", "facets?", "histogram?", "export?", "groups?by=status&"];

describe("contract 9: the parameter query", () => {
  it("chooses traces in every route that has filters", async () => {
    const { ask, url } = await start();
    const query = "@customer.tier:gold -status:ERROR version:2.0";
    expect((await ask<TraceList>("traces?", query)).traces.map((trace) => trace.trace_id)).toEqual(["a"]);
    expect((await ask<Facets>("facets?", query)).total).toBe(1);
    expect((await ask<Histogram>("histogram?", query)).total).toBe(1);
    expect((await ask<TraceGroups>("groups?by=status&", query)).groups).toMatchObject([
      { value: "OK", runs: 1 },
    ]);
    expect(
      (await ask<TraceGroups>("groups?by=@customer.tier&order=cost&", "@customer.tier:*")).groups,
    ).toMatchObject([{ value: "gold" }, { value: "silver" }]);
    const file = await (await fetch(`${url}/v1/export?query=${encodeURIComponent(query)}`)).text();
    expect(file.trim().split("\n")).toHaveLength(1);
    expect(file).toContain("gold");
    expect((await ask<TraceList>("traces?session=s&", "chat")).traces).toHaveLength(1);
  });

  it("names an unknown key and its position in every route", async () => {
    const { refusal } = await start();
    for (const route of ROUTES) {
      expect(await refusal(route, "late servce:shop"), route).toMatchObject({
        status: 400,
        code: "invalid_query",
        message: expect.stringContaining('there is no key "servce"') as string,
        details: { field: "query", key: "servce", position: 5 },
      });
    }
  });

  it("refuses hostile queries at once, with the limit", async () => {
    const { refusal } = await start();
    const { characters, searches } = QUERY_LIMITS;
    const hostile = [
      "a".repeat(characters + 1),
      "type:a ".repeat(500),
      "-@a.b:c ".repeat(searches + 1),
      `@${"a.".repeat(1000)}b:c`,
      `type:${"x,".repeat(1000)}x`,
    ];
    for (const query of hostile)
      expect(await refusal("traces?", query), query.slice(0, 10)).toMatchObject({
        status: 400,
        code: "invalid_query",
        message: expect.stringMatching(/at most \d/) as string,
      });
  });

  it("answers the largest queries that it takes", async () => {
    const { ask } = await start();
    const { characters, conditions, searches, values } = QUERY_LIMITS;
    const largest = [
      '"'.repeat(characters),
      "\\".repeat(characters),
      `"${"\\".repeat(characters - 1)}`,
      `@"${"a.".repeat(10)}__proto__":"${"x".repeat(1000)}"`,
      "-type:none ".repeat(conditions).trim(),
      `-type:${Array.from({ length: values }, (_, n) => n).join()}`,
      `-@${"a.".repeat(15)}a:constructor `.repeat(searches).trim(),
      Array.from({ length: searches }, (_, n) => `-w${n}`).join(" "),
    ];
    for (const query of largest) {
      const { traces } = await ask<TraceList>("traces?", query);
      expect(traces.length, query.slice(0, 20)).toBeLessThanOrEqual(2);
    }
  });
});
