/** The inspector of the Model Context Protocol lists, calls and pages the tools of the collector, over HTTP and over stdio. */
import assert from "node:assert/strict";
import { check } from "../check/check.mjs";
import { COLLECTOR_URL } from "../check/traces.mjs";

const RUNS = 25;
const PAGE = 10;
const OBSPAN = process.env.OBSPAN_BIN;

await check(async ({ run }) => {
  const spans = Array.from({ length: RUNS }, (_, n) => ({
    name: `run ${n}`,
    trace_id: `trace-${n}`,
    span_id: "root",
    span_type: "agent",
    duration_ms: 5,
  }));
  const response = await fetch(`${COLLECTOR_URL}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "inspected", spans }),
  });
  assert.equal(response.status, 202);

  const http = [`${COLLECTOR_URL}/mcp`, "--transport", "http"];
  const stdio = ["node", OBSPAN ?? "", "mcp", "--url", COLLECTOR_URL];
  for (const server of OBSPAN === undefined ? [http] : [http, stdio]) {
    const ask = async (...args) =>
      jsonIn(await run("mcp-inspector", ["--cli", ...server, "--method", ...args]));

    const { tools } = await ask("tools/list");
    assert.ok(tools.some(({ name }) => name === "search_traces"));
    assert.ok((await ask("prompts/list")).prompts.length > 0);

    const seen = new Set();
    for (let cursor; ;) {
      const page = [
        "--tool-arg",
        `limit=${PAGE}`,
        ...(cursor === undefined ? [] : ["--tool-arg", `cursor=${cursor}`]),
      ];
      const { structuredContent } = await ask("tools/call", "--tool-name", "search_traces", ...page);
      const { columns, rows } = structuredContent.untrusted.traces;
      for (const row of rows) seen.add(row[columns.indexOf("trace_id")]);
      [, cursor] = /cursor "([\w-]+)"/.exec(structuredContent.notes.join(" ")) ?? [];
      if (cursor === undefined) break;
    }
    assert.equal(seen.size, RUNS);

    const { contents } = await ask("resources/read", "--uri", "obspan://trace/trace-7");
    assert.match(contents[0].text, /run 7/);
  }
});

/** What the inspector prints, without what it says before. */
function jsonIn(output) {
  return JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1));
}
