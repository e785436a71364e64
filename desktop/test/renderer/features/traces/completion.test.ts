import { describe, expect, it } from "vitest";
import { complete, openKey, splitDraft } from "../../../../src/renderer/features/traces/completion.js";

const VALUES = [
  { value: "gpt-5-mini", count: 9 },
  { value: "claude-sonnet-5", count: 4 },
  { value: "tiny gpt", count: 1 },
];

describe("complete", () => {
  it("offers every key at the beginning of a word", () => {
    expect(complete("", undefined, false).items.map(({ label }) => label)).toContain("service:");
    expect(complete("late ", undefined, false).items[0]?.query).toBe("late name:");
  });

  it("offers the keys that start with the input", () => {
    expect(complete("late Ser", undefined, false).items.map(({ query }) => query)).toEqual(["late service:"]);
    expect(complete("-dur", undefined, false).items.map(({ query }) => query)).toEqual(["-duration:"]);
    expect(complete("tur", undefined, false).items).toEqual([]);
    expect(complete("tur", undefined, false, "sessions").items[0]?.query).toBe("turns:");
    expect(complete("feedback:d", undefined, false, "sessions").items[0]?.query).toBe("feedback:down ");
    expect(complete("parcel", undefined, false).items).toEqual([]);
  });

  it("offers the values of the language to who knows no key", () => {
    expect(complete("late emp", undefined, false).items).toEqual([
      {
        label: "tool_output:empty",
        hint: "empty: a tool returned nothing",
        query: "late tool_output:empty ",
      },
    ]);
    expect(complete("-err", undefined, false).items.map(({ query }) => query)).toEqual([
      "-error_type:",
      "-status:ERROR ",
      "-has:error ",
    ]);
  });

  it("offers values that start with the input before those that contain it", () => {
    const { key, items } = complete("env:x model:gpt", VALUES, false);
    expect(key).toBe("model");
    expect(items).toEqual([
      { label: "gpt-5-mini", count: 9, query: "env:x model:gpt-5-mini " },
      { label: "tiny gpt", count: 1, query: 'env:x model:"tiny gpt" ' },
    ]);
  });

  it("offers tenants only if there are any", () => {
    expect(complete("ten", undefined, false).items).toEqual([]);
    expect(complete("ten", undefined, true).items[0]?.query).toBe("tenant:");
    expect(complete("tenant:ac", [{ value: "acme", count: 2 }], true)).toEqual({
      key: "tenant",
      items: [{ label: "acme", count: 2, query: "tenant:acme " }],
    });
  });

  it("offers further values of a list, and values that the language has", () => {
    expect(complete("-model:gpt-5-mini,cl", VALUES, false).items).toEqual([
      { label: "claude-sonnet-5", count: 4, query: "-model:gpt-5-mini,claude-sonnet-5 " },
    ]);
    expect(complete("has:", undefined, false).items.map(({ label }) => label)).toEqual([
      "error",
      "score",
      "image",
      "tool_error",
    ]);
    expect(complete("@customer.tier:", undefined, false)).toEqual({ key: "@customer.tier", items: [] });
  });

  it("waits for values", () => {
    expect(complete("model:", undefined, false)).toEqual({ key: "model", items: [] });
  });
});

describe("openKey", () => {
  it.each([
    ["model:", "model"],
    ["model:gp", "model"],
    ['agent:"front de', "agent"],
    ["model:gpt ", undefined],
    ["trace_id:4", undefined],
    ["tenant:ac", "tenant"],
    ["gpt", undefined],
    ["-tool:se", "tool"],
    ["type:l", "span_type"],
    ["score:", "evaluation_type"],
    ["duration:>", undefined],
    ["@tool:se", undefined],
  ])("of %s is %s", (query, key) => expect(openKey(query)).toBe(key));
});

describe("splitDraft", () => {
  it.each([
    ["service:shop", "", "service:shop"],
    ["service:shop ", "service:shop", ""],
    ["late service:shop parcel", "service:shop", "late parcel"],
    ['agent:"front desk" ', 'agent:"front desk"', ""],
    ['agent:"front ', "", 'agent:"front '],
    ["service: ", "", "service: "],
    ["-tool:a,b duration:>2s late", "-tool:a,b duration:>2s", "late"],
  ])("takes %s apart", (draft, whole, rest) => expect(splitDraft(draft)).toEqual({ whole, rest }));
});
