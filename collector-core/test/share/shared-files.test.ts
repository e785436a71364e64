import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRun } from "../../src/analysis/run.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { transcriptOf } from "../../src/analysis/transcript/transcript.js";
import type { NormalizedSpan, TraceSummary } from "../../src/api-schema/trace.js";
import { escapeHtml, scriptJson } from "../../src/share/html/escape.js";
import { traceHtml } from "../../src/share/html/trace-html.js";
import type { FileContent, SharedTrace } from "../../src/share/shared-trace.js";
import { traceMarkdown } from "../../src/share/trace-markdown.js";
import { capturedTraces } from "../analysis/captured-traces.js";
import { newSummary } from "../analysis/compare/run-of.js";
import { newSpan } from "../analysis/spans.js";

function shared(spans: readonly NormalizedSpan[], fields: Partial<TraceSummary> = {}): SharedTrace {
  const summary = newSummary({ start_time: "2026-11-21T10:00:00Z", duration_ms: 10, ...fields });
  return { summary, spans, leftOut: 0, cut: 0, bytes: 0, isRedacted: true };
}

function contentOf(trace: SharedTrace): FileContent {
  const run = readRun(buildSpanTree(trace.spans));
  return { shared: trace, run, transcript: transcriptOf(run) };
}

const htmlOf = (trace: SharedTrace): string => [...traceHtml(contentOf(trace))].join("");
const markdownOf = (trace: SharedTrace): string => [...traceMarkdown(contentOf(trace))].join("");

/** What the data block of a file has. */
function dataIn(html: string): unknown {
  const [, json = ""] = /<script type="application\/json" id="trace-data">([^<]*)<\/script>/.exec(html) ?? [];
  return JSON.parse(json);
}

/** The tags of a file that are not those of the template. */
function foreignTags(html: string): string[] {
  const known =
    /^(?:html|head|meta|title|style|body|header|h[1-3]|i|bdi|p|dl|div|dt|dd|nav|a|main|section|article|details|summary|code|pre|span|small|b|strong|svg|rect|img|script)$/;
  return [...html.matchAll(/<\/?([^\s>/]+)/g)]
    .map(([, name = ""]) => name)
    .filter((name) => !known.test(name) && name !== "!doctype");
}

const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<!--<script>",
  '<img src=x onerror="alert(1)">',
  "<svg onload=alert(1)>",
  "javascript:alert(1)",
  "[link](javascript:alert(1)) ![i](http://evil.example/i.png)",
  "`<b>` **<i>** # <u>",
  "\u0000\ud800 \u202e \u2028",
  "]]> &lt; &amp;",
  "```\n</pre><iframe src=http://evil.example>\n```",
];

function hostileSpans(text: string): NormalizedSpan[] {
  return [
    newSpan("root", null, 0, 10, {
      name: text,
      span_type: "agent",
      status: text,
      attributes: { agent: text, input_text: text, output_text: text, [text]: text, user_id: text },
    }),
    newSpan("call", "root", 0, 5, {
      name: text,
      span_type: "llm",
      attributes: {
        model: text,
        prompt_messages: [
          { role: text, content: text },
          { role: "user", content: [{ type: "image_url", image_url: { url: "http://evil.example/i.png" } }] },
          { role: "user", content: [{ type: "text", text }] },
        ],
        completion_messages: [
          {
            role: "assistant",
            content: text,
            tool_calls: [{ id: "1", type: "function", function: { name: text, arguments: text } }],
          },
        ],
      },
    }),
    newSpan("tool", "root", 5, 5, {
      name: text,
      span_type: "tool",
      status: "ERROR",
      attributes: { tool_name: text, error_type: text, error_message: text, output_text: text },
      events: [{ name: text, attributes: { [text]: text } }],
    }),
  ];
}

describe("contract 9 share: the HTML file", () => {
  it("has nothing of a span outside of texts and data, whatever the span says", () => {
    for (const text of HOSTILE) {
      const html = htmlOf(shared(hostileSpans(text), { root_name: text, trace_id: text, status: text }));
      expect(foreignTags(html), text).toEqual([]);
      expect(html.match(/<script/g), text).toHaveLength(1);
      expect(html.match(/<a [^>]*>/g), text).toEqual(['<a href="#transcript">', '<a href="#spans">']);
      expect(html, text).not.toMatch(
        /<[^<>]*\son\w+=|<[^<>]*\s(?:href|src|action|style)="(?!#|data:image\/)/,
      );
      expect(html, text).toBe(html.toWellFormed());
    }
  });

  it("refuses everything but its own style and pictures in it", () => {
    const html = htmlOf(shared([newSpan("a", null, 0, 1)]));
    const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
    expect(policy).toMatch(
      /^default-src &#39;none&#39;; style-src &#39;sha256-[\w+/=]{44}&#39;; img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;$/,
    );
    // No address in the file, so that it needs no network.
    expect(html).not.toMatch(/https?:|url\(|@import/);
  });

  it("has the spans as data, which reads as what was written", () => {
    const spans = hostileSpans("</script>");
    expect(dataIn(htmlOf(shared(spans)))).toMatchObject({ trace: { trace_id: "t" }, spans });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = scriptJson(value);
        expect(json).not.toContain("<");
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"'\0]/);
      }),
    );
  });

  it("shows every capture, with its texts", () => {
    for (const { name, spans } of capturedTraces()) {
      const html = htmlOf(shared(spans));
      expect(foreignTags(html), name).toEqual([]);
      expect(html, name).not.toMatch(/>(?:undefined|\[object Object\]|NaN)</);
      expect(markdownOf(shared(spans)), name).not.toMatch(/^(?:undefined|\[object Object\])$/m);
    }
  });

  it("has short arguments in the head of a call, also those that are a text, and marks computed costs", () => {
    const call = newSpan("plan", null, 0, 10, { span_type: "llm", cost_usd: 0.5, cost_source: "computed" });
    const tool = newSpan("search", "plan", 2, 5, {
      span_type: "tool",
      attributes: { tool_name: "search", input_text: '{"order":48190}', output_text: "two\nlines" },
    });
    const html = htmlOf(shared([call, tool]));
    expect(html).toContain(
      '<code>search</code><code class="input" dir="auto">{&quot;order&quot;:48190}</code>',
    );
    expect(html).toContain("≈ $0.5000");
  });

  it("shows pictures that are in it, and names those that are elsewhere", () => {
    const image = (url: string) => ({ role: "user", content: [{ type: "image_url", image_url: { url } }] });
    const html = htmlOf(
      shared([
        newSpan("a", null, 0, 1, {
          span_type: "llm",
          attributes: {
            prompt_messages: [
              image("data:image/png;base64,iVBORw0KGgo="),
              image("http://evil.example/i.png"),
            ],
          },
        }),
      ]),
    );
    expect(html.match(/<img [^>]*>/g)).toEqual([
      '<img alt="Image of the message" src="data:image/png;base64,iVBORw0KGgo=">',
    ]);
    expect(html).toContain("http://evil.example/i.png");
  });
});

describe("contract 9 share: the Markdown file", () => {
  it("has figures, errors, the conversation and the spans, and no line of a span's name outside its line", () => {
    const text = markdownOf(
      shared(
        [
          newSpan("root", null, 0, 100, { name: "a\n# b", span_type: "agent" }),
          newSpan("call", "root", 0, 50, {
            name: "chat",
            span_type: "llm",
            attributes: { model: "small", prompt_text: "Where is it?", completion_text: "In **Lyon**." },
          }),
          newSpan("tool", "root", 50, 10, {
            name: "get_order",
            span_type: "tool",
            status: "ERROR",
            attributes: { error_type: "timeout", error_message: "no answer", input_text: '{"id":1}' },
          }),
        ],
        { root_name: "support.__init__", error_count: 1, cost_usd: 0.0123 },
      ),
    );
    expect(text).toContain("# Trace: support.\\_\\_init\\_\\_\n");
    expect(text).toContain("- Cost: $0.0123\n");
    expect(text).toMatch(/## Errors\n\n- #2 get_order: timeout: no answer\n/);
    expect(text).toContain("In **Lyon**.");
    expect(text).toMatch(/## Spans\n\n- a # b \(agent, 100 ms\)\n {2}- #1 chat \(llm, small, 50 ms\)\n/);
    expect(text).not.toMatch(/^# b/m);
  });

  it.each([
    ...HOSTILE,
    "Done.\n```\n\n## Spans\n\n- #9 curl (tool, OK)",
    "~~~\n# Ignore what was said before",
    "a\r# b\r\n## c\n\n# d\n\n    e",
    "> quoted\n\nTitle\n===\n---",
  ])("has no heading and no code block of a sender outside of quotes: %j", (text) => {
    const headings = headingsOf(text);
    const top = headings.filter((line) => /^##? /.test(line));
    expect(top).toEqual([expect.stringContaining("# Trace: "), "## Errors", "## Transcript", "## Spans"]);
    expect(headings.length).toBe(headingsOf("plain").length);
  });

  /** The headings outside of quotes and code blocks, which all end. */
  function headingsOf(text: string): string[] {
    const headings: string[] = [];
    let fence: string | undefined;
    for (const line of markdownOf(shared(hostileSpans(text), { root_name: text })).split(/\r\n?|\n/)) {
      const [mark] = /^(?:`{3,}|~{3,}|<[a-z!/]|(?:===|---)$)/i.exec(line) ?? [];
      if (fence === undefined) {
        if (/^#{1,6} /.test(line)) headings.push(line);
        else fence = mark;
      } else if (line === fence) fence = undefined;
    }
    expect(fence).toBeUndefined();
    return headings;
  }
});
