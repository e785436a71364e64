import type { ImportResult } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { filePieces } from "../../../src/renderer/store/file-pieces.js";
import { createTraceFilesStore } from "../../../src/renderer/store/trace-files-store.js";
import type { SessionKey, TraceKey } from "../../../src/renderer/api/collector-api.js";

const RESULT: ImportResult = {
  lines: 1,
  refused_lines: 0,
  traces: 1,
  spans: 2,
  refused_spans: 0,
  dropped_spans: 0,
  evicted_traces: 0,
  problems: [],
};

function start(answer: (lines: string) => Promise<ImportResult> = async () => RESULT) {
  const sent: string[] = [];
  const saved: { text: Promise<string>; name: string }[] = [];
  const store = createTraceFilesStore({
    api: {
      importTraces: async (lines) => {
        sent.push(await lines.text());
        return answer(sent.at(-1) ?? "");
      },
      exportTrace: async ({ traceId, tenant }: TraceKey) => new Blob([`${tenant}/${traceId}\n`]),
      exportSession: async ({ sessionId, tenant }: SessionKey) => new Blob([`${tenant}/${sessionId}\n`]),
    },
    save: (file, name) => void saved.push({ text: file.text(), name }),
    now: () => Date.UTC(2026, 10, 21, 14, 4, 5),
  });
  return { store, sent, saved, transfer: () => store.getState().transfer };
}

const piecesOf = async (text: string, bytes: number): Promise<[string, number][]> => {
  const pieces: [string, number][] = [];
  for await (const piece of filePieces(new Blob([text]), bytes))
    pieces.push([await piece.bytes.text(), piece.linesBefore]);
  return pieces;
};

describe("a file in pieces", () => {
  it("is split at line ends, never inside a line", async () => {
    expect(await piecesOf("aa\nbb\ncc\n", 7)).toEqual([
      ["aa\nbb\n", 0],
      ["cc\n", 2],
    ]);
    expect(await piecesOf("a\n\nlonger than a piece\nb", 4)).toEqual([
      ["a\n\n", 0],
      ["longer than a piece\nb", 2],
    ]);
    expect(await piecesOf("one line", 2)).toEqual([["one line", 0]]);
    expect(await piecesOf("", 4)).toEqual([]);
  });
});

describe("a file that is imported", () => {
  it("is sent, and its result is reported", async () => {
    const { store, sent, transfer } = start();
    await store.getState().importFile(new File(["{}\n"], "runs.otlp.jsonl"));
    expect(sent).toEqual(["{}\n"]);
    expect(transfer()).toEqual({ type: "imported", name: "runs.otlp.jsonl", result: RESULT });
    store.getState().dismiss();
    expect(transfer()).toEqual({ type: "none" });
  });

  it("adds up the results of its pieces, with line numbers of the file", async () => {
    const line = `${"x".repeat(5 * 2 ** 20)}\n`;
    const problems = [{ line: 1, message: "bad" }];
    const { store, sent, transfer } = start(async () => ({ ...RESULT, refused_lines: 1, problems }));
    await store.getState().importFile(new File([line, line, line], "large.jsonl"));
    expect(sent).toHaveLength(3);
    expect(transfer()).toMatchObject({
      result: {
        lines: 3,
        traces: 3,
        spans: 6,
        refused_lines: 3,
        problems: [{ line: 1 }, { line: 2 }, { line: 3 }],
      },
    });
  });

  it("reports why it was refused, or that it is empty", async () => {
    const refused = start(() => Promise.reject(new Error("Line 1: The body is not valid JSON.")));
    await refused.store.getState().importFile(new File(["a,b"], "table.csv"));
    expect(refused.transfer()).toEqual({ type: "failed", message: "Line 1: The body is not valid JSON." });
    const empty = start();
    await empty.store.getState().importFile(new File([], "empty.jsonl"));
    expect(empty.transfer()).toEqual({ type: "failed", message: "empty.jsonl is empty." });
  });
});

describe("rows that are exported", () => {
  it("become one file of sessions, in the order of the list", async () => {
    const { store, saved } = start();
    await store.getState().exportSessions(["\nnew", "acme\nmiddle", "\nold"]);
    expect(await saved[0]?.text).toBe("/new\nacme/middle\n/old\n");
    expect(saved[0]?.name).toBe("obspan-sessions-2026-11-21T14-04-05.otlp.jsonl");
  });

  it("become one file, oldest first", async () => {
    const { store, saved, transfer } = start();
    await store.getState().exportRows(["new", "acme\nmiddle", "old"]);
    expect(await saved[0]?.text).toBe("/old\nacme/middle\n/new\n");
    expect(saved[0]?.name).toBe("obspan-traces-2026-11-21T14-04-05.otlp.jsonl");
    expect(transfer()).toEqual({ type: "none" });
  });
});
