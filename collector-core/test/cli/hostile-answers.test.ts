import type { RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import { shortTimeText, timeText } from "../../src/cli/output/figures.js";
import { runAgainst } from "./run-against.js";

/** A collector with one trace. */
const collectorWith =
  (trace: object): RequestListener =>
  ({ url = "" }, response) => {
    const value = url.startsWith("/health")
      ? { uptime_seconds: 1 }
      : url.startsWith("/v1/traces?")
        ? { traces: [trace], next_cursor: null }
        : { trace, spans: [] };
    response.end(JSON.stringify(value));
  };

describe("an answer that is hostile", () => {
  it("has no effect on the terminal by a text in the place of a time", () => {
    const time = "\u001b]0;mine\u0007\u009b1m\u202e\ud800";
    for (const text of [timeText(time, new Date()), shortTimeText(time, new Date())])
      expect(text).toBe(String.raw`\x1b]0;mine\x07\x9b1m\u202e\ud800`);
  });

  it.each([
    ["half\ud800", "/traces/half%EF%BF%BD"],
    ["..", "/traces/by-id?trace_id=.."],
    ["a/b?c", "/traces/a%2Fb%3Fc"],
  ])("opens the trace %j at an address", async (id, path) => {
    const trace = { trace_id: id, root_name: "run", status: "OK" };
    const run = await runAgainst(collectorWith(trace), ["open", "latest", "--print"]);
    expect(run).toMatchObject({ code: 0, stdout: `${run.url}${path}\n` });
  });

  it("does not decide the exit code of a command that obspan run has run", async () => {
    const exit = ["--", process.execPath, "-e", "process.exit(7)"];
    for (const trace of [{}, { trace_id: 5 }, { trace_id: "t", root_name: null }, null]) {
      const run = await runAgainst(
        (_request, response) => void response.end(JSON.stringify({ traces: [trace] })),
        ["run", ...exit],
      );
      expect(run.stderr).toContain("to GET /v1/traces cannot be read: ");
      expect(run.code).toBe(7);
    }
    const id = "half\ud800 \u009b \u{e0041}";
    const listed = await runAgainst(collectorWith({ trace_id: id, root_name: "run", status: "OK" }), [
      "run",
      "--json",
      ...exit,
    ]);
    expect(listed.code).toBe(7);
    expect(listed.stderr).toMatch(/^[ -~]+\n$/);
    expect(JSON.parse(listed.stderr)).toMatchObject({ traces: [{ trace_id: id }] });
  });
});
