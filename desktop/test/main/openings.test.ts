import fc from "fast-check";
import { expect, test } from "vitest";
import { createOpeningQueue } from "../../src/main/opening-queue.js";
import { readArguments, readLink, type Opening } from "../../src/main/openings.js";
import { traceOfPage, tracePagePath } from "../../src/main/trace-page.js";

const ORIGIN = "http://127.0.0.1:8080";

test("a link opens the page of its trace, and is decoded once", () => {
  expect(readLink("obspan://trace/abc")).toEqual({ type: "trace", traceId: "abc" });
  expect(readLink("OBSPAN://Trace/a%20b%2Fc/")).toEqual({ type: "trace", traceId: "a b/c" });
  expect(readLink("obspan://trace/%2561")).toEqual({ type: "trace", traceId: "%61" });
  expect(readLink(`obspan://trace/${"x".repeat(128)}`)).toBeDefined();
  expect(readLink(`obspan://trace/${"%F0%9F%98%80".repeat(64)}`)).toBeDefined();
});

test("a link of any other form opens nothing", () => {
  const refused = [
    `obspan://trace/${"x".repeat(129)}`,
    `obspan://trace/${"%61".repeat(5000)}`,
    "obspan://trace/",
    "obspan://trace",
    "obspan://traces/a",
    "obspan://user@trace/a",
    "obspan://trace:80/a",
    "obspan://trace/a/b",
    "obspan://trace/a?tenant=b",
    "obspan://trace/a#b",
    "obspan://trace/%",
    "obspan://trace/%ff",
    "obspan://trace/a%00b",
    "obspan:trace/a",
    "https://trace/a",
    " obspan://trace/a",
  ];
  for (const text of refused) expect(readLink(text), text).toBeUndefined();
});

test("arguments name files of traces, against the directory of the start", () => {
  const paths = (...args: string[]) => readArguments(args, "/work");
  expect(paths("--hidden", "a.jsonl", "/b.NDJSON", "c.txt", "-x.jsonl", ".")).toEqual([
    { type: "file", path: "/work/a.jsonl" },
    { type: "file", path: "/b.NDJSON" },
  ]);
  expect(paths("file:///tmp/a%20b.jsonl")).toEqual([{ type: "file", path: "/tmp/a b.jsonl" }]);
  expect(
    paths("file://host/share/a.jsonl", "file:///a%00.jsonl", "file://%", `${"a".repeat(5000)}.jsonl`),
  ).toEqual([]);
});

test("beside a link, no other argument counts", () => {
  expect(readArguments(["--hidden", "/etc/a.jsonl", "obspan://trace/t", "b.jsonl"], "/")).toEqual([
    { type: "trace", traceId: "t" },
  ]);
  expect(readArguments(["a.jsonl", "OBSPAN://elsewhere"], "/")).toEqual([]);
});

/** Whether an id of a link leads to the page of a trace of the collector, and to nothing else. */
function isTracePage(traceId: string): boolean {
  const { origin, pathname, href } = new URL(tracePagePath({ traceId }), ORIGIN);
  return (
    traceId.length <= 128 &&
    origin === ORIGIN &&
    /^\/traces\/[^/]+$/.test(pathname) &&
    traceOfPage(href)?.traceId.length === traceId.length
  );
}

test("no argument makes the parser throw, or leads anywhere but to the page of a trace", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "/",
      "..",
      "%2e%2e",
      "%2F",
      "%",
      "?",
      "#",
      "@",
      ":",
      "\\",
      "\u202e",
      "javascript:",
      "//evil/",
    ),
  );
  const link = fc.array(piece, { maxLength: 6 }).map((pieces) => `obspan://trace/${pieces.join("")}`);
  fc.assert(
    fc.property(fc.array(fc.oneof(link, piece), { maxLength: 4 }), (args) =>
      readArguments(args, "/work").every(
        (opening) => opening.type === "file" || isTracePage(opening.traceId),
      ),
    ),
    { numRuns: 1000 },
  );
});

test("a trace of a tenant is found again in the address of its page", () => {
  for (const traceId of ["a", "..", ".", "a/b", "%41", "by-id"]) {
    const url = new URL(tracePagePath({ traceId, tenant: "acme & co" }), ORIGIN).href;
    expect(traceOfPage(url)).toEqual({ traceId, tenant: "acme & co" });
  }
  for (const url of [
    "",
    "no url",
    `${ORIGIN}/traces`,
    `${ORIGIN}/metrics`,
    `${ORIGIN}/traces/%zz`,
    "data:text/html,",
  ])
    expect(traceOfPage(url)).toBeUndefined();
});

test("openings wait for the window, one at a time and at most 20", async () => {
  const files = (count: number): Opening[] =>
    Array.from({ length: count }, (_, index) => ({ type: "file", path: `/${index}` }));
  const queue = createOpeningQueue();
  queue.add(files(15));
  queue.add(files(10));
  const opened: string[] = [];
  const warnings: string[] = [];
  let atOnce = 0;
  await new Promise<void>((resolve) => {
    queue.openWith({
      log: {
        warning(message) {
          warnings.push(message);
          if (message.includes("at most")) resolve();
        },
      },
      async open(opening) {
        expect(++atOnce).toBe(1);
        await Promise.resolve();
        atOnce--;
        opened.push(opening.type === "file" ? opening.path : "");
        if (opened.length === 3) throw new Error("gone");
      },
    });
  });
  expect(opened).toHaveLength(20);
  expect(warnings).toEqual([
    "Not opened: Error: gone",
    "5 files or links were not opened: at most 20 may wait.",
  ]);
});
