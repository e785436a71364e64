import { describe, expect, it } from "vitest";
import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import type { SpanPart } from "../../src/analysis/message.js";
import { readRun, readRunInSteps } from "../../src/analysis/run.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import type { TranscriptEntry, TranscriptTool } from "../../src/analysis/transcript/entries.js";
import { entryMarkdown, transcriptMarkdown } from "../../src/analysis/transcript/transcript-markdown.js";
import { transcriptInSteps, transcriptOf } from "../../src/analysis/transcript/transcript.js";
import { newSpan } from "./spans.js";

const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const call = (id: string, name: string, values: object) => ({
  type: "tool_call",
  id,
  name,
  arguments: values,
});
const calling = (...calls: object[]) => ({ role: "assistant", parts: calls });
const result = (id: string, response: unknown) => ({
  role: "tool",
  parts: [{ type: "tool_call_response", id, response }],
});

function span(
  id: string,
  parent: string | null,
  startMs: number,
  type: string,
  attributes: object = {},
  fields: Partial<NormalizedSpan> = {},
): NormalizedSpan {
  return newSpan(id, parent, startMs, 5, { span_type: type, attributes: attributes as never, ...fields });
}

const model = (id: string, parent: string, startMs: number, input: object[], output: object[]) =>
  span(id, parent, startMs, "llm", { prompt_messages: input, completion_messages: output });

const words = (parts: readonly SpanPart[]): string[] =>
  parts.map((part) => ("text" in part && typeof part.text === "string" ? part.text : part.kind));

function toolLine({ number, name, error, result: answer, repeat }: TranscriptTool): string {
  const outcome = error === undefined ? JSON.stringify(answer?.response) : error.type;
  const again =
    repeat === undefined ? "" : ` ${repeat.position}/${repeat.count}${repeat.isRetry ? " retry" : ""}`;
  return `${number ?? "-"} ${name}=${outcome}${again}`;
}

/** An entry in one line. */
function line(entry: TranscriptEntry): string {
  const indent = "  ".repeat(entry.level);
  switch (entry.kind) {
    case "message":
      return `${indent}${entry.isEarlier ? "(earlier) " : ""}${entry.message.role}: ${JSON.stringify(words(entry.message.parts).join())}`;
    case "turn": {
      const said = entry.output.flatMap(({ parts }) => words(parts));
      const marks = [entry.isFinal ? "final" : "", entry.isRunning ? "running" : "", entry.error?.type ?? ""];
      const shown = [...said, ...entry.tools.map(toolLine), ...marks].filter((each) => each !== "");
      return `${indent}${entry.number} ${shown.join(" | ")}`;
    }
    case "step":
      return `${indent}${entry.tool.number} step ${entry.tool.name} ${entry.tool.error?.type ?? ""}`;
    case "steps":
      return `${indent}steps ${entry.steps.map(({ node, number }) => `${number} ${node.id}`).join(", ")}`;
    case "handoff":
      return `${indent}${entry.number ?? "-"} ${entry.from} → ${entry.to} (${entry.note ?? ""})`;
    case "error":
      return `${indent}error ${entry.node.id} ${entry.error.type}`;
  }
}

const transcript = (...spans: NormalizedSpan[]) => transcriptOf(readRun(buildSpanTree(spans)));
const lines = (...spans: NormalizedSpan[]) => transcript(...spans).entries.map(line);

const SYSTEM = text("system", "Be brief.");
const QUESTION = text("user", "Where is my order?");
const TIMEOUT = { status: "ERROR" } as const;

/** A support agent with a failed tool, and a second agent. */
function supportRun(): NormalizedSpan[] {
  const order = call("c1", "get_order", { id: 1 });
  const shipping = call("c2", "get_shipping", { tracking: "6C" });
  const asked = [
    SYSTEM,
    QUESTION,
    calling(order, shipping),
    result("c1", "shipped"),
    result("c2", "at depot"),
  ];
  return [
    span("root", null, 0, "agent", {
      agent: "support",
      input_text: "Where is my order?",
      output_text: "Tomorrow.",
    }),
    span("load_context", "root", 1, "task"),
    span("get_customer", "load_context", 2, "tool", { tool_name: "get_customer" }),
    span("search", "root", 10, "retrieval"),
    model("plan", "root", 20, [SYSTEM, QUESTION], [calling(order, shipping)]),
    span("get_order", "root", 30, "tool", { tool_name: "get_order" }),
    span(
      "ship1",
      "root",
      40,
      "tool",
      { tool_name: "get_shipping", input_text: '{"tracking": "6C"}', error_type: "Timeout" },
      TIMEOUT,
    ),
    span("ship2", "root", 50, "tool", { tool_name: "get_shipping", input_text: '{"tracking":"6C"}' }),
    model("decide", "root", 60, asked, [text("assistant", "It is late.")]),
    span("refunds", "root", 70, "agent", { agent: "refunds", input_text: "late, 4 days" }),
    model("check", "refunds", 71, [text("user", "late, 4 days")], [text("assistant", "€5.20")]),
    model(
      "reply",
      "root",
      80,
      [...asked, text("assistant", "It is late."), text("user", "credit: €5.20")],
      [text("assistant", "Tomorrow.")],
    ),
  ];
}

describe("transcriptOf", () => {
  it("shows of each call only what is new, with tools, hand-offs and errors in place", () => {
    expect(lines(...supportRun())).toEqual([
      'input: "Where is my order?"',
      "steps 1 load_context, 2 search",
      'system: "Be brief."',
      '3 4 get_order="shipped" | 5 get_shipping=Timeout 1/2 | 6 get_shipping="at depot" 2/2 retry',
      "7 It is late.",
      "8 support → refunds (late, 4 days)",
      '  user: "late, 4 days"',
      "  9 €5.20",
      'user: "credit: €5.20"',
      "10 Tomorrow. | final",
    ]);
  });

  it("gives the same numbers while the run grows", () => {
    const spans = supportRun();
    for (let length = 1; length <= spans.length; length++) {
      const { numbers } = readRun(buildSpanTree(spans.slice(0, length)));
      const whole = readRun(buildSpanTree(spans)).numbers;
      for (const [id, number] of numbers) expect([id, number]).toEqual([id, whole.get(id)]);
    }
  });

  it("puts the conversation before the run first", () => {
    const history = [text("user", "Hi"), text("assistant", "Hello")];
    expect(
      lines(
        span("root", null, 0, "agent", { agent: "a", input_text: "And now?" }),
        model("one", "root", 1, [SYSTEM, ...history, text("user", "And now?")], [text("assistant", "Now.")]),
      ),
    ).toEqual([
      '(earlier) user: "Hi"',
      '(earlier) assistant: "Hello"',
      'input: "And now?"',
      'system: "Be brief."',
      "1 Now.",
    ]);
  });

  it("keeps the conversations of agents apart, and continues that of an agent that is started again", () => {
    const ask = (id: string, agent: string, startMs: number, input: object[], answer: string) => [
      span(agent, "root", startMs, "agent", { agent: "helper" }),
      model(id, agent, startMs + 1, input, [text("assistant", answer)]),
    ];
    const go = text("user", "Go");
    expect(
      lines(
        span("root", null, 0, "agent", { agent: "main" }),
        ...ask("a", "h1", 10, [go], "one"),
        ...ask("b", "h2", 20, [go], "two"),
        ...ask("c", "h3", 30, [go, text("assistant", "two"), text("user", "More")], "three"),
      ),
    ).toEqual([
      "1 main → helper ()",
      '  user: "Go"',
      "  2 one",
      "3 main → helper ()",
      '  user: "Go"',
      "  4 two",
      "5 main → helper ()",
      '  user: "More"',
      "  6 three",
    ]);
  });

  it("shows the agent inside a tool after the call of the tool", () => {
    expect(
      lines(
        span("root", null, 0, "agent", { agent: "main" }),
        model("plan", "root", 1, [QUESTION], [calling(call("c1", "research", { topic: "x" }))]),
        span("tool", "root", 2, "tool", { tool_name: "research", tool_call_id: "c1", output_text: "found" }),
        span("inner", "tool", 3, "agent", { agent: "researcher" }),
        model("read", "inner", 4, [text("user", "x")], [text("assistant", "found")]),
      ),
    ).toEqual([
      'user: "Where is my order?"',
      '1 2 research="found"',
      "3 main → researcher ()",
      '  user: "x"',
      "  4 found",
    ]);
  });

  it("shows errors where they happened: of a call, of a task, of the run", () => {
    const failed = (type: string) => ({ error_type: type, error_message: `${type} happened` });
    const spans = [
      span("root", null, 0, "agent", { agent: "a", ...failed("RunError") }, TIMEOUT),
      span("load", "root", 1, "task"),
      span("query", "load", 2, "tool", failed("DbError"), TIMEOUT),
      span("llm", "root", 3, "llm", { ...failed("RateLimit"), prompt_messages: [QUESTION] }, TIMEOUT),
      span("up", "root", 9, "task", failed("RateLimit"), { ...TIMEOUT, error_propagated: true }),
    ];
    expect(lines(...spans)).toEqual([
      "1 step load DbError",
      'user: "Where is my order?"',
      "2 RateLimit",
      "steps 3 up",
      "error root RunError",
    ]);
  });

  it("shows a call that runs, and calls without messages as steps", () => {
    const running = newSpan("now", "root", 9, null, { span_type: "llm" });
    expect(
      lines(
        span("root", null, 0, "agent"),
        span("a", "root", 1, "llm"),
        span("b", "root", 2, "llm"),
        running,
      ),
    ).toEqual(["steps 1 a, 2 b", "3 running"]);
  });

  it("reads the messages of 200 calls that each send the conversation again in time", () => {
    const messages: object[] = [SYSTEM];
    const calls = Array.from({ length: 200 }, (_, index) => {
      messages.push(text("user", `question ${index} ${"x".repeat(300)}`));
      const input = structuredClone(messages);
      messages.push(text("assistant", `answer ${index}`));
      return model(`m${index}`, "root", index + 1, input, [text("assistant", `answer ${index}`)]);
    });
    const spans = [span("root", null, 0, "agent"), ...calls];
    const before = process.cpuUsage();
    expect(transcript(...spans).entries).toHaveLength(401);
    // Far more than it takes.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(20_000);
  });

  it("is Markdown, with fences that no text can close", () => {
    const shown = transcript(...supportRun());
    const markdown = transcriptMarkdown(shown);
    expect(markdown).toContain("### 7. Assistant, decide\n\nIt is late.");
    expect(markdown).toContain(
      '#### 5. get_shipping (same call 1 of 2)\n\n```\n{\n  "tracking": "6C"\n}\n```',
    );
    const [entry] = transcript(
      span("t", null, 0, "tool", { input_text: "a ``` b", tool_name: "run" }),
    ).entries;
    expect(entry && entryMarkdown(entry)).toContain("````\na ``` b\n````");
  });
});

describe("the steps of a run", () => {
  const hints = (...spans: NormalizedSpan[]) => {
    const { hints: found, numbers } = readRun(buildSpanTree(spans));
    return Object.fromEntries([...found].map(([id, hint]) => [`${numbers.get(id)} ${id}`, hint]));
  };
  const named = { name: "chat" };

  it("of the same name show what tells them apart", () => {
    expect(
      hints(
        span("root", null, 0, "agent"),
        {
          ...model("a", "root", 1, [QUESTION], [calling(call("c", "get_order", { id: "48190" }))]),
          ...named,
        },
        { ...model("b", "root", 2, [QUESTION], [text("assistant", "It is\n late.")]), ...named },
        span("t1", "root", 3, "tool", { tool_name: "ship", input_text: '{"a":1}' }, { name: "execute_tool" }),
        span("t2", "root", 4, "tool", { tool_name: "ship", input_text: '{"a":2}' }, { name: "execute_tool" }),
        span("other", "root", 5, "tool", { input_text: '{"a":2}' }),
      ),
    ).toEqual({
      "1 a": '→ get_order(id: "48190")',
      "2 b": "It is late.",
      "3 t1": "ship(a: 1)",
      "4 t2": "ship(a: 2)",
    });
  });

  it("finds repeats of a tool with the same arguments, however they are written, within one agent", () => {
    const tool = (id: string, parent: string, startMs: number, values: string) =>
      span(id, parent, startMs, "tool", { tool_name: "track", input_text: values });
    const run = readRun(
      buildSpanTree([
        span("root", null, 0, "agent", { agent: "a" }),
        tool("1", "root", 1, '{"a":1,"b":[2]}'),
        tool("2", "root", 2, '{ "b": [2], "a": 1 }'),
        tool("3", "root", 3, '{"a":1,"b":[3]}'),
        span("sub", "root", 4, "agent", { agent: "b" }),
        tool("4", "sub", 5, '{"a":1,"b":[2]}'),
        span("unknown1", "root", 6, "tool", { tool_name: "x" }),
        span("unknown2", "root", 7, "tool", { tool_name: "x" }),
      ]),
    );
    expect([...run.repeatsBySpan].map(([id, { position, count }]) => [id, position, count])).toEqual([
      ["1", 1, 2],
      ["2", 2, 2],
    ]);
  });
});

describe("a run with very many messages", () => {
  it("is read with pauses", () => {
    const sent = (call: number) => Array.from({ length: 100 }, (_, n) => text("user", `${call} ${n}`));
    const calls = Array.from({ length: 20 }, (_, n) => model(`c${n}`, "root", n + 1, sent(n), []));
    const tree = buildSpanTree([span("root", null, 0, "agent"), ...calls]);
    const pauses = (steps: Iterable<undefined>): number => [...steps].length;
    expect(pauses(readRunInSteps(tree))).toBeGreaterThanOrEqual(calls.length);
    expect(pauses(transcriptInSteps(readRun(tree)))).toBeGreaterThanOrEqual(calls.length);
  });
});
