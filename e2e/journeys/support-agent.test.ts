import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { collectorHere } from "../harness/collector-here.js";
import { ledgerAtRest } from "../harness/ledger.js";
import { runInBash, runProgram } from "../harness/shell.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLE = fileURLToPath(new URL("../../examples/support-agent/", import.meta.url));

it("the example runs without a key, as in its README, and prints the URL of its trace", async () => {
  const { url } = await collectorHere();
  const readme = readFileSync(`${EXAMPLE}README.md`, "utf8");
  const [command = ""] = /^npm run start --workspace \S+$/m.exec(readme) ?? [];
  const { code, stdout } = await runInBash(`cd ${ROOT}; OBS_PUSH_URL=${url} ${command}`);
  expect(code).toBe(0);
  expect(stdout).toContain("Your oak desk is at the depot in Lyon");
  const [, traceId = ""] = /^7 spans: http:\S+\/traces\/(\w+)$/m.exec(stdout) ?? [];
  await ledgerAtRest(url);

  const response = await fetch(`${url}/v1/traces/${traceId}`);
  const { trace, spans } = (await response.json()) as {
    trace: Record<string, unknown>;
    spans: {
      name: string;
      span_id: string;
      parent_span_id: string | null;
      attributes: Record<string, unknown>;
    }[];
  };
  expect(trace).toMatchObject({
    llm_calls: 3,
    tool_calls: 2,
    tokens_input: 811,
    tokens_output: 86,
    status: "OK",
  });
  expect(trace["cost_usd"]).toBeGreaterThan(0);
  expect(spans.map(({ name }) => name)).toEqual([
    "support ticket",
    "support-agent",
    "chat gpt-5-mini",
    "get_order",
    "chat gpt-5-mini",
    "get_shipping_status",
    "chat gpt-5-mini",
  ]);
  const [ticket, agent, ...steps] = spans;
  expect(agent?.parent_span_id).toBe(ticket?.span_id);
  for (const step of steps) expect(step.parent_span_id).toBe(agent?.span_id);
  expect(steps.map(({ attributes }) => attributes["agent"])).toEqual(Array(5).fill("support-agent"));
});

it("the example names the remedy when no collector listens", async () => {
  const { code, stdout } = await runProgram(process.execPath, ["main.js"], {
    cwd: EXAMPLE,
    env: { OBS_PUSH_URL: "http://127.0.0.1:9", OBS_RETRY_BACKOFF: "0.01" },
  });
  expect(code).toBe(0);
  expect(stdout).toContain('No collector at http://127.0.0.1:9: start one with "npm start".');
});
