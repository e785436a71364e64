import fc from "fast-check";
import { parseQuery } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { groupFilters } from "../../../../../src/renderer/features/traces/groups/group-filter.js";
import { groupChoices, groupName } from "../../../../../src/renderer/features/traces/groups/group-names.js";

describe("the filters of a group", () => {
  it("are a menu's filter where there is one, and a term of the query elsewhere", () => {
    expect(groupFilters({}, "agent", "planner")).toEqual({ agent: "planner" });
    expect(groupFilters({}, "name", "a run")).toEqual({ root_name: "a run" });
    expect(groupFilters({}, "type", "llm")).toEqual({ span_type: "llm" });
    expect(groupFilters({ query: "late" }, "tool", "search web")).toEqual({
      query: 'late tool:"search web"',
    });
    expect(groupFilters({}, "@customer.tier", "gold")).toEqual({ query: "@customer.tier:gold" });
    expect(groupFilters({}, "@a key", "1..2")).toEqual({ query: '@"a key":"1..2"' });
  });

  it("keep a filter of the same key, because a trace can have several values", () => {
    expect(groupFilters({ agent: "planner" }, "agent", "writer")).toEqual({
      agent: "planner",
      query: "agent:writer",
    });
    expect(groupFilters({ agent: "planner" }, "agent", "planner")).toEqual({ agent: "planner" });
  });

  it("name the traces without an attribute, and nothing that a query cannot name", () => {
    expect(groupFilters({}, "@tier", null)).toEqual({ query: "-@tier:*" });
    expect(groupFilters({}, "agent", null)).toBeUndefined();
    expect(groupFilters({}, "@note", "x".repeat(256))).toBeUndefined();
  });

  it("are read as the value that they name", () => {
    const keys = fc.constantFrom("tool", "session", "user", "version", "prompt", "@tier", "@a b.c");
    fc.assert(
      fc.property(keys, fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }), (by, value) => {
        const { conditions, problems } = parseQuery(groupFilters({}, by, value)?.query ?? "");
        expect(problems).toEqual([]);
        expect(conditions).toHaveLength(1);
        expect(conditions[0]).toMatchObject(
          by.startsWith("@")
            ? { kind: "attribute", path: by.slice(1), tests: [{ kind: "equal", text: value }] }
            : { kind: "label", values: [value] },
        );
      }),
    );
  });
});

describe("the keys to group by", () => {
  it("are found by their names, and any other text is an attribute", () => {
    expect(groupChoices("", false)).toHaveLength(15);
    expect(groupChoices("", true)).toContain("tenant");
    expect(groupChoices("prompt", false)).toEqual(["prompt", "prompt_version", "@prompt"]);
    expect(groupChoices(" customer.tier ", false)).toEqual(["@customer.tier"]);
    expect(groupChoices("@agent", false)).toEqual(["@agent"]);
    expect([groupName("error_type"), groupName("@x")]).toEqual(["Error type", "@x"]);
  });
});
