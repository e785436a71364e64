import { expect, it, onTestFinished } from "vitest";
import { startCollector } from "../running-collector.js";

const OBJECTS = 20_000;
/** Longer texts are neither parsed nor written at once; the span has a megabyte. */
const MAX_LENGTH = 64 * 1024;

/** Follows how long the longest text was that was parsed or written at once. */
function watchJson() {
  const { parse, stringify } = JSON;
  const longest = {
    parsed: 0,
    written: 0,
    end: () => void Object.assign(JSON, { parse, stringify }),
  };
  // No spy: it would keep each of a hundred thousand calls.
  JSON.parse = (text: string, ...rest) => {
    longest.parsed = Math.max(longest.parsed, text.length);
    return parse(text, ...rest) as unknown;
  };
  JSON.stringify = (value: unknown) => {
    const text = stringify(value);
    longest.written = Math.max(longest.written, (text as string | undefined)?.length ?? 0);
    return text;
  };
  onTestFinished(longest.end);
  return longest;
}

const parts = Array.from({ length: OBJECTS }, (_, n) => ({ type: "text", content: `part ${n}` }));
const large = {
  name: "large",
  trace_id: "t",
  span_id: "s",
  span_type: "llm",
  attributes: { completion_messages: [{ role: "assistant", parts }], tokens_input: -1 },
};
/** The same with keys that come twice, so that its bytes cannot be answered as they are. */
const twice = JSON.stringify({ ...large, span_id: "twice" }).replaceAll(
  '{"type":"text"',
  '{"type":"other","type":"text"',
);

it("no route parses or writes a large stored span in one turn", async () => {
  const { url, post, get, settled } = await startCollector();
  for (const span of [JSON.stringify(large), twice])
    await fetch(`${url}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: `{"spans":[${span}]}`,
    });
  await settled();
  const score = {
    name: "score",
    trace_id: "t",
    span_type: "evaluation",
    attributes: { evaluation_type: "user", evaluation_score: 1, evaluated_span_id: "s" },
  };

  const longest = watchJson();
  await post({ spans: [score] });
  await settled();
  const read = async (path: string): Promise<string> => {
    const answer = await fetch(`${url}${path}`);
    expect(answer.status).toBe(200);
    return await answer.text();
  };
  const answers: string[] = [];
  for (const path of [
    "/v1/traces/t",
    "/v1/traces/t?full=1",
    "/v1/trace?trace_id=t",
    "/v1/traces/t/spans/s",
    "/v1/traces/t/spans/twice",
    "/v1/span?trace_id=t&span_id=s",
    "/v1/traces",
    `/v1/traces?q=part%20${OBJECTS - 1}`,
    "/v1/traces?q=a%20text%20that%20is%20nowhere",
    "/v1/evaluations",
    "/v1/evaluations/summary",
    "/v1/facets",
  ])
    answers.push(await read(path));
  expect(longest.parsed).toBeLessThan(MAX_LENGTH);
  expect(longest.written).toBeLessThan(MAX_LENGTH);
  // What becomes of it as OTLP is another matter.
  await read("/v1/export");
  expect(longest.parsed).toBeLessThan(MAX_LENGTH);
  longest.end();

  const { completion_messages } = large.attributes;
  const attributes = { completion_messages };
  for (const answer of answers.slice(0, 3)) {
    const { spans } = JSON.parse(answer) as { spans: object[] };
    expect(spans[0]).toMatchObject({ span_id: "s", parent_span_id: null, attributes });
    expect(spans[0]).not.toHaveProperty("attributes.tokens_input");
  }
  expect(JSON.parse(answers[3] ?? "")).toMatchObject({ span_id: "s", status: "OK", attributes });
  expect(JSON.parse(answers[4] ?? "")).toMatchObject({ span_id: "twice", attributes });
  expect(answers[7]).toContain('"trace_id":"t"');
  expect(answers[8]).not.toContain('"trace_id":"t"');
  expect(answers[9]).toContain('"evaluated_text":"part 0"');
  expect(await get("/v1/traces/t/spans/s")).toMatchObject({ attributes });
});

it("the collector serves other requests while it reads a large stored span", async () => {
  const { url, post, settled } = await startCollector();
  await post({ spans: [large] });
  await settled();
  const ended: string[] = [];
  const ask = async (path: string): Promise<void> => {
    const answer = await fetch(`${url}${path}`);
    await answer.arrayBuffer();
    ended.push(path);
  };
  const reading = Promise.all(Array.from({ length: 20 }, () => ask("/v1/traces/t?full=1")));
  await ask("/health");
  await reading;
  expect(ended.indexOf("/health")).toBeLessThan(20);
});
