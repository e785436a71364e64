import {
  buildSpanTree,
  imageAddress,
  inlineJson,
  messagesOf,
  millisecondsBetween,
  oneLine,
  parseJsonText,
  prettyJson,
} from "@obspan/collector-core/analysis";
import type { NormalizedSpan } from "@obspan/collector-core/api-schema";
import * as fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import Markdown from "../../../../src/renderer/features/trace/detail/markdown.js";
import { attributeRows } from "../../../../src/renderer/features/trace/model/attribute-rows.js";
import { chunkText, jsonTokens } from "../../../../src/renderer/features/trace/model/json-tokens.js";
import { markdownChunks } from "../../../../src/renderer/features/trace/model/markdown-chunks.js";
import { searchSpans } from "../../../../src/renderer/features/trace/model/span-search.js";
import {
  parseTraceSearch,
  traceIdOf,
  tracePath,
} from "../../../../src/renderer/features/trace/trace-address.js";
import { complete, splitDraft } from "../../../../src/renderer/features/traces/completion.js";
import { filtersFromSearch } from "../../../../src/renderer/features/traces/filter-address.js";
import { highlightLine } from "../../../../src/renderer/features/traces/first-run/highlight.js";
import {
  joinQuery,
  problemIn,
  readQuery,
  splitQuery,
} from "../../../../src/renderer/features/traces/query-language.js";
import { shortenId } from "../../../../src/renderer/format.js";
import { parseTraceId } from "../../../../src/renderer/store/parse-trace-id.js";
import { anyHardText, hardTexts } from "./hostile-texts.js";
import { newSpan } from "./spans.js";

/** Far more than linear work takes for these sizes, and far less than quadratic work. */
const BOUND_MS = 1000;
const LENGTHS = [10_000, 100_000];

const spanOf = (fields: Partial<NormalizedSpan>): NormalizedSpan => newSpan("s", null, 0, 1, fields);

/** Everything in the pages that parses texts of spans or URLs. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "cutting Markdown": markdownChunks,
  "cutting plain text": (text) => chunkText(text),
  "colouring JSON": jsonTokens,
  "colouring a string in JSON": (text) => jsonTokens(prettyJson({ [text]: text })),
  "JSON in one line": (text) => inlineJson({ [text]: [text, { a: text }] }),
  "telling whether a text is JSON": (text) => {
    const value = parseJsonText(text);
    return value === undefined ? undefined : prettyJson(value);
  },
  "one line of a text": (text) => oneLine(text, 240),
  "the address of an image": (text) => imageAddress("image/png", text) ?? imageAddress(text, "AAAA"),
  "the time of an event": (text) => millisecondsBetween("2026-11-21T14:00:00Z", text),
  "the messages of a span": (text) =>
    messagesOf(spanOf({ attributes: { prompt_text: text, completion_messages: [text, { role: text }] } })),
  "the attributes of a span": (text) => attributeRows({ [text]: [text, { [text]: text }] }, new Set(), "x]y"),
  "searching spans": (text) =>
    searchSpans(buildSpanTree([spanOf({ name: text, attributes: { text } })]), "x]y"),
  "searching a text": (text) => searchSpans(buildSpanTree([spanOf({ attributes: { text: "a" } })]), text),
  // A browser sends no longer address.
  "a query": (text) => {
    const query = text.slice(0, 20_000);
    const { tokens, words } = splitQuery(query);
    return [
      joinQuery(tokens, words),
      problemIn(query),
      readQuery(query),
      splitDraft(query),
      complete(query, [], true),
    ];
  },
  "the address of a list": (text) => filtersFromSearch(`?q=${encodeURIComponent(text)}`),
  "the address of a trace": (text) => [
    parseTraceSearch(`?${text}`),
    traceIdOf({ pathname: `/traces/${text}`, search: "" }),
    tracePath({ traceId: text, tenant: "a" }, { spanId: "b", tab: "raw", view: "tree" }),
  ],
  "an id": (text) => [shortenId(text), parseTraceId(text)],
  "colouring code": (text) => highlightLine(text.slice(0, 1000), "javascript"),
};

function timeOf(task: () => unknown): number {
  const before = performance.now();
  task();
  return performance.now() - before;
}

describe("hostile texts", () => {
  for (const [name, read] of Object.entries(READERS)) {
    it(`${name} takes time in proportion to the text`, () => {
      for (const length of LENGTHS) {
        for (const text of hardTexts(length)) {
          const took = timeOf(() => read(text));
          expect(took, `${length} characters of ${JSON.stringify(text.slice(0, 12))}`).toBeLessThan(BOUND_MS);
        }
      }
      fc.assert(
        fc.property(anyHardText(100_000), (text) => timeOf(() => read(text)) < BOUND_MS),
        { numRuns: 10 },
      );
    });
  }

  it("reads a line of a million characters, and a long key above many values", () => {
    const line = "x".repeat(1_000_000);
    for (const [name, read] of Object.entries(READERS)) {
      expect(
        timeOf(() => read(line)),
        name,
      ).toBeLessThan(2 * BOUND_MS);
    }
    const attributes = { ["k".repeat(500_000)]: Array.from({ length: 200_000 }, () => ({ a: 1 })) };
    const rows = { length: 0 };
    expect(timeOf(() => (rows.length = attributeRows(attributes, new Set(), "kkk").length))).toBeLessThan(
      4 * BOUND_MS,
    );
    expect(rows.length).toBe(200_000);
  });

  it("limits deeply nested JSON, and JSON that grows by indentation, to what a page can show", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(parseJsonText(deep)).toBeUndefined();
    expect(parseJsonText(`[${'{"a":['.repeat(15)}1${"]}".repeat(15)}]`)).toBeDefined();
    expect(parseJsonText('["[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["]')).toBeDefined();
    const wide: unknown = Array.from({ length: 30 }).reduce<unknown>(
      (inner) => [inner],
      Array(200_000).fill(1),
    );
    expect(prettyJson(wide).length).toBeLessThan(500_000);
  });

  it("renders every parsed chunk of Markdown before the page seems to hang", () => {
    const drawn = (text: string): number => {
      const [piece] = markdownChunks(text);
      if (piece === undefined || piece.isPlain) return 0;
      return timeOf(() => renderToStaticMarkup(createElement(Markdown, { text: piece.text })));
    };
    for (const text of hardTexts(6000)) {
      expect(drawn(text), JSON.stringify(text.slice(0, 12))).toBeLessThan(5 * BOUND_MS);
    }
    fc.assert(
      fc.property(anyHardText(6000), (text) => drawn(text) < 5 * BOUND_MS),
      { numRuns: 25 },
    );
  });
});
