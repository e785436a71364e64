import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { exampleOf, withoutConfigure, withoutObspan } from "../frameworks/first-trace/example.mjs";

/** A row of the test of first traces, in fields that this file reads. */
interface Row {
  readonly page: string;
  readonly example?: number;
  readonly replace?: readonly (readonly [string, string])[];
  readonly unwrap?: readonly (readonly [string, string])[];
  readonly registered?: readonly (readonly string[])[];
}

const ROWS = join(import.meta.dirname, "../frameworks/first-trace/rows");
const INDEX = readFileSync(join(import.meta.dirname, "../../../docs/guide/index.md"), "utf8");
/** Pages of the index without a row: the app's own functions, and OpenTelemetry without the SDK, in Python too. */
const WITHOUT_ROW = ["sdk", "openinference", "traceloop", "langfuse", "python"];
/** The page that every row with `registered` tests. */
const REGISTER = "register";
/** Rows that register does not record: its page says why. */
const NOT_REGISTERED = ["claude-agent-sdk", "opentelemetry"];

const rows = await Promise.all(
  readdirSync(ROWS).map(async (file) => {
    const { default: row } = (await import(join(ROWS, file))) as { readonly default: Row };
    return { name: basename(file, ".mjs"), row };
  }),
);

it("every library of the index has a row in the test of first traces", () => {
  const [, table = ""] = /\n\| what you use [^\n]*\n(.*?)\n\n/s.exec(INDEX) ?? [];
  const pages = Array.from(table.matchAll(/\]\(([\w-]+)\.md/g), ([, page = ""]) => page);
  expect(pages.length).toBeGreaterThan(15);
  const tested = [...rows.map(({ row }) => row.page), REGISTER, ...WITHOUT_ROW];
  expect(pages.filter((page) => !tested.includes(page))).toEqual([]);
});

it("every library that register records has a row without a line of Obspan", () => {
  const without = rows.filter(({ row }) => row.registered === undefined).map(({ name }) => name);
  expect(without).toEqual(NOT_REGISTERED);
});

it.each(rows)("$name adds at most three lines to an app that its environment configures", ({ row }) => {
  const { page, example = 0, replace = [], unwrap = [] } = row;
  let code = withoutConfigure(exampleOf(page, example));
  for (const [from, to] of replace) code = code.replace(from, () => to);
  expect(withoutObspan(code, unwrap).added).toBeLessThanOrEqual(3);
});
