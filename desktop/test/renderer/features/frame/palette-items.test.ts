import { describe, expect, test } from "vitest";
import {
  formatAgo,
  paletteGroups,
  type PaletteSource,
} from "../../../../src/renderer/features/frame/palette-items.js";
import { summary } from "../../fake-api.js";

describe("the palette's lines", () => {
  const facet = (value: string, count: number) => [{ value, count }];
  const source: PaletteSource = {
    query: "",
    found: [],
    foundById: [],
    recent: [],
    facets: {
      total: 3,
      service: facet("shop", 3),
      env: facet("production", 3),
      agent: facet("refunds-agent", 2),
      model: [],
      status: facet("OK", 3),
      span_type: [],
      tenant: [],
      evaluation_type: [],
      version: [],
      provider: [],
      tool: [],
      prompt: [],
      error_type: [],
      cost_usd: 0,
      cost_source: null,
      distinct: {},
    },
    filters: { service: "shop" },
    actions: [{ id: "pause", label: "Pause", sign: { status: "OK" } }],
    page: undefined,
    nowMs: 0,
  };
  const labels = (query: string): string[] =>
    paletteGroups({ ...source, query }).flatMap(({ items }) => items.map(({ label }) => label));

  test("are pages and actions while the query is empty", () => {
    expect(paletteGroups(source).map(({ name }) => name)).toEqual(["Pages", "Actions"]);
  });

  test("begin with the actions of the open page", () => {
    const page = {
      name: "This trace",
      items: [{ id: "copy", label: "Copy the trace id", sign: { status: "OK" } }],
    };
    expect(paletteGroups({ ...source, page }).map(({ name }) => name)).toEqual([
      "This trace",
      "Pages",
      "Actions",
    ]);
    const [group] = paletteGroups({ ...source, page, query: ">copy" });
    expect(group?.items.map(({ label }) => label)).toEqual(["Copy the trace id"]);
    expect(paletteGroups({ ...source, page, query: "#t1" }).map(({ name }) => name)).not.toContain(
      "This trace",
    );
  });

  test("put a page before the text as a filter, and a filter's value before a page", () => {
    expect(labels("settings")).toEqual(["Settings", "text contains “settings”"]);
    expect(labels("refunds")).toEqual(["agent:refunds-agent", "text contains “refunds”"]);
  });

  test("add to the current filters, and leave those out", () => {
    const [group] = paletteGroups({ ...source, query: "refunds" });
    expect(group?.items[0]?.href).toBe("/traces?service=shop&agent=refunds-agent");
    expect(labels("service:shop")).toEqual(["text contains “service:shop”"]);
  });

  test("name the tenant of a trace, and link to its own page if two have the same id", () => {
    const foundById = ["acme", "globex"].map((tenant) => summary("t1", { tenant, input_preview: "Hello" }));
    const [group] = paletteGroups({ ...source, query: "#t1", foundById, found: foundById });
    expect(group?.items.map(({ detail, href }) => [detail, href])).toEqual([
      ["acme · Hello", "/traces/t1?tenant=acme"],
      ["globex · Hello", "/traces/t1?tenant=globex"],
    ]);
  });

  test("open an id that the collector was not asked for yet", () => {
    const [group] = paletteGroups({ ...source, query: "#order/48190" });
    expect(group?.items[0]).toMatchObject({ label: "Open trace", href: "/traces/order%2F48190" });
  });
});

test("past times are shown in one unit", () => {
  const minute = 60_000;
  expect([0, 3 * minute, 119 * minute, 72 * 60 * minute].map(formatAgo)).toEqual([
    "now",
    "3 min ago",
    "1 h ago",
    "3 d ago",
  ]);
});
