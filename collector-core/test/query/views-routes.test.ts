import { describe, expect, it } from "vitest";
import { viewsClient } from "./views-client.js";

const SLOW_TOOLS = {
  name: "Slow tools",
  query: "tool:search duration:>2s",
  order: "slowest",
  columns: ["name"],
};

describe("saved views", () => {
  it("contract 9: a new collector has default views, which can be changed and deleted", async () => {
    const { get, put, remove } = await viewsClient();
    expect((await get()).map(({ id, name }) => [id, name])).toEqual([
      ["errors", "Errors"],
      ["slow", "Slow"],
      ["costly", "Costly"],
    ]);
    expect(await remove("slow")).toBe(204);
    expect((await put("errors", { name: "Failures", query: "status:ERROR" })).status).toBe(200);
    expect((await get()).map(({ id, name }) => [id, name])).toEqual([
      ["errors", "Failures"],
      ["costly", "Costly"],
    ]);
    expect(await remove("slow")).toBe(404);
  });

  it("contract 9: saves a view as it was sent, with defaults for what is left out", async () => {
    const { get, put } = await viewsClient();
    const saved = { id: "mine", page: "traces", group_by: null, ...SLOW_TOOLS };
    expect(await put("mine", SLOW_TOOLS)).toEqual({ status: 200, body: saved });
    expect((await get()).at(-1)).toEqual(saved);
  });

  it("refuses what is no view, and a query that cannot be read", async () => {
    const { get, put } = await viewsClient();
    const refused: readonly (readonly [string, unknown, object])[] = [
      ["a", { query: "" }, { code: "invalid_payload" }],
      ["a", { name: "" }, { code: "invalid_payload" }],
      ["a", { name: "x".repeat(81) }, { code: "invalid_payload" }],
      ["a", { name: "a", columns: [1] }, { code: "invalid_payload" }],
      ["a", [], { code: "invalid_payload" }],
      [
        "a",
        { name: "a", query: "servce:x" },
        { code: "invalid_query", details: { key: "servce", position: 0 } },
      ],
      ["a b", { name: "a" }, { code: "invalid_query" }],
      ["x".repeat(65), { name: "a" }, { code: "invalid_query" }],
    ];
    for (const [id, body, error] of refused) {
      const answer = await put(encodeURIComponent(id), body);
      expect(answer, JSON.stringify(body)).toMatchObject({ status: 400, body: { error } });
    }
    expect(await get()).toHaveLength(3);
  });

  it("has at most 200 views", async () => {
    const { get, put } = await viewsClient();
    for (let n = 0; n < 197; n++) expect((await put(`v${n}`, { name: "n" })).status).toBe(200);
    expect(await put("more", { name: "n" })).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_payload" } },
    });
    expect((await put("v0", { name: "again" })).status).toBe(200);
    expect(await get()).toHaveLength(200);
  });
});
