import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConfigDescription, ConfigEntry } from "@obspan/collector-core/api-schema";
import { diffLines } from "../../../../src/renderer/features/settings/model/line-diff.js";
import { lockOf, sourceOf, unitOf } from "../../../../src/renderer/features/settings/model/option-words.js";
import { searchSections, sectionsOf } from "../../../../src/renderer/features/settings/model/sections.js";
import { problemsAtEdits, problemText } from "../../../../src/renderer/store/option-problems.js";
import { optionText, optionValue } from "../../../../src/renderer/store/option-text.js";
import { createSettingsStore } from "../../../../src/renderer/store/settings-store.js";

const ENTRY: ConfigEntry = {
  value: 10,
  source: "default",
  default: 10,
  env: "OBS_SERVER_LIMITS_MAX_TRACES",
  env_only: false,
  read_only: false,
  secret: false,
  doc: "Traces kept.",
  rule: "a whole number, 1 or more",
  schema: { type: "integer" },
};

function description(config: Record<string, Partial<ConfigEntry>>): ConfigDescription {
  const entries = Object.entries(config).map(([key, entry]) => [key, { ...ENTRY, ...entry }]);
  return {
    file: "/etc/obspan.yaml",
    file_exists: true,
    not_writable: null,
    file_problems: [],
    config: Object.fromEntries(entries) as ConfigDescription["config"],
  };
}

describe("the text of an option", () => {
  it.each([
    ["10,000", { type: "integer" }, 10_000],
    [" 0.5 ", { type: "number" }, 0.5],
    ["much", { type: "number" }, "much"],
    ["true", { type: "boolean" }, true],
    ["a, b\nc,", { type: "array", items: { type: "string" } }, ["a", "b", "c"]],
    ["1, 2.5, x", { type: "array", items: { type: "number" } }, [1, 2.5, "x"]],
    ['{"a": 1}', { type: "object" }, { a: 1 }],
    ["{", { type: "object" }, "{"],
    ["  ", { type: "string" }, null],
    [null, { type: "string" }, null],
  ])("%j becomes what the collector takes", (text, schema, value) => {
    expect(optionValue(text, schema)).toEqual(value);
  });

  it("shows a value so that it reads back the same", () => {
    for (const [value, schema] of [
      [10, { type: "integer" }],
      [[0.1, 5], { type: "array", items: { type: "number" } }],
      [["a", "b"], { type: "array", items: { type: "string" } }],
      [{ relevance: 0.8 }, { type: "object" }],
      ["reject", { enum: ["reject", "drop_oldest"] }],
      [null, { type: "string" }],
    ] as const)
      expect(optionValue(optionText(value), schema)).toEqual(value);
  });
});

it("the source of an option is the default, a variable, the file, a flag, or a change", () => {
  const name = (entry: Partial<ConfigEntry>, isEdited = false): string =>
    sourceOf({ ...ENTRY, ...entry }, isEdited).name;
  expect(name({})).toBe("default");
  expect(name({ source: ENTRY.env })).toBe("env");
  expect(name({ source: "/home/ada/obspan.yaml:12" })).toBe("file");
  expect(name({ source: "--config" })).toBe("flag");
  expect(name({ after_restart: 20 })).toBe("saved");
  expect(name({ after_restart: null })).toBe("saved");
  expect(name({ source: ENTRY.env }, true)).toBe("edited");
  expect(sourceOf({ ...ENTRY, after_restart: 20, changed_over_http: true }, false).tip).toMatch(/over HTTP/);
  expect(lockOf("limits.max_traces", ENTRY)).toBeUndefined();
  expect(lockOf("limits.max_traces", { ...ENTRY, source: ENTRY.env })).toMatch(/change it there/);
});

it("a problem is said at the option that was edited, without what the row shows already", () => {
  const soft =
    "backpressure.soft_limit_pct = 96 (default): must be less than backpressure.hard_limit_pct = 85 (a.yaml:2)";
  expect(problemText(soft)).toBe("Must be less than backpressure.hard_limit_pct = 85 (a.yaml:2).");
  expect(problemText("trace_store.path: can only be set by X")).toBe("Can only be set by X.");
  const problems = { "backpressure.soft_limit_pct": soft };
  expect([...problemsAtEdits(problems, ["backpressure.hard_limit_pct"]).keys()]).toEqual([
    "backpressure.hard_limit_pct",
  ]);
  expect([...problemsAtEdits(problems, ["backpressure.soft_limit_pct"]).keys()]).toEqual([
    "backpressure.soft_limit_pct",
  ]);
});

it("a number has the unit of its key, and many bytes are said in a larger one", () => {
  expect(unitOf("limits.max_body_bytes", "10485760")).toBe("= 10 MiB");
  expect(unitOf("limits.max_body_bytes", "many")).toBe("bytes");
  expect(unitOf("backpressure.soft_limit_pct", "80")).toBe("%");
  expect(unitOf("limits.max_traces", "80")).toBeUndefined();
});

it("every option is in one section, and a search finds it by key, variable or documentation", () => {
  const keys = ["limits.max_traces", "limits.max_queue_size", "limits.cardinality_model", "new.option"];
  const sections = sectionsOf(
    description(Object.fromEntries(keys.map((key) => [key, { env: key.toUpperCase() }]))).config,
  );
  expect(sections.flatMap(({ options }) => options.map(({ key }) => key)).sort()).toEqual(keys.sort());
  const found = (search: string): string[] =>
    searchSections(sections, search).flatMap(({ options }) => options.map(({ key }) => key));
  expect(found("MAX_TRACES kept")).toEqual(["limits.max_traces"]);
  expect(found("nothing like this")).toEqual([]);
});

it("a diff has the lines of both texts in order, and marks only what differs", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = diffLines(before.join("\n"), after.join("\n"));
      const side = (mark: string): string[] =>
        lines.flatMap((line) => (line.mark === " " || line.mark === mark ? [line.text] : []));
      expect([side("-"), side("+")]).toEqual([before, after]);
      const numbers = lines.flatMap(({ number }) => number ?? []);
      expect(numbers).toEqual(after.map((_, index) => index + 1));
    }),
  );
  expect(diffLines("a\nb\n", "a\nc\nb\n").map(({ mark }) => mark)).toEqual([" ", "+", " "]);
});

it("the store checks drafts, saves them as values, and keeps what is typed meanwhile", async () => {
  const asked: unknown[] = [];
  const saved: unknown[] = [];
  const api = {
    getConfig: () =>
      Promise.resolve(
        description({ "limits.max_traces": {}, "sampling.rate": { schema: { type: "number" } } }),
      ),
    getPrices: () => Promise.resolve({ enabled: true, file: null, as_of: null, sources: [], models: [] }),
    checkConfig: (values: unknown) => {
      asked.push(values);
      return Promise.resolve({ problems: {}, overridden: {}, before: "", after: "" });
    },
    putConfig: (values: unknown) => {
      saved.push(values);
      store.getState().edit("sampling.rate", "0.25");
      return Promise.resolve({} as never);
    },
  };
  const store = createSettingsStore({ api, schedule: (task) => task(), now: () => 0 });
  await store.getState().load();
  store.getState().edit("limits.max_traces", "20");
  store.getState().edit("sampling.rate", "0.5");
  store.getState().edit("sampling.rate", "10");
  expect(store.getState().drafts).toEqual({ "limits.max_traces": "20" });
  store.getState().edit("sampling.rate", null);
  await store.getState().save();
  expect(saved).toEqual([{ "limits.max_traces": 20, "sampling.rate": null }]);
  expect(store.getState().drafts).toEqual({ "sampling.rate": "0.25" });
  expect(asked.at(-1)).toEqual({ "sampling.rate": 0.25 });
  store.getState().discard();
  expect(store.getState().drafts).toEqual({});
});

it("the key for Save checks what is typed again, then saves it or says what prevents that", async () => {
  const saved: unknown[] = [];
  let problems: Readonly<Record<string, string>> = { "limits.max_traces": "limits.max_traces: must be more" };
  const store = createSettingsStore({
    api: {
      getConfig: () => Promise.resolve(description({ "limits.max_traces": {}, "sampling.rate": {} })),
      getPrices: () => Promise.resolve({ enabled: true, file: null, as_of: null, sources: [], models: [] }),
      checkConfig: () => Promise.resolve({ problems, overridden: {}, before: "", after: "" }),
      putConfig: (values: unknown) => {
        saved.push(values);
        return Promise.resolve({} as never);
      },
    },
    schedule: (task) => task(),
    now: () => 0,
  });
  await store.getState().load();
  await store.getState().saveChecked();
  expect([saved, store.getState().failure]).toEqual([[], undefined]);
  store.getState().edit("limits.max_traces", "20");
  await store.getState().saveChecked();
  expect([saved, store.getState().failure]).toEqual([[], "Not saved. limits.max_traces: Must be more."]);
  // The problem that is shown may be of a file that was mended since.
  problems = {};
  await store.getState().saveChecked();
  expect(saved).toEqual([{ "limits.max_traces": 20 }]);
  expect(store.getState()).toMatchObject({ drafts: {}, failure: undefined });
});
