import { describe, expect, it } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import { createPipelineSpan, type PipelineSpan } from "../../../src/span/pipeline-span.js";
import { createSpanRedactor, withFailureAction } from "../../../src/pipeline/redaction/span-redactor.js";
import { readSpanFacts } from "../../../src/span/span-facts.js";
import { nextTurn } from "../../../src/runtime/loop-turn.js";
import { systemClock } from "../../../src/runtime/clock.js";
import { span, startCollector } from "../../running-collector.js";

const ENABLED = { REDACTION_ENABLED: "true" };
const CONTEXT = { tenant: "", service: "shop", env: "test", version: undefined, receivedAtMs: 0 };

interface AnsweredSpan {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  readonly events: { readonly name: string; readonly attributes: Record<string, unknown> }[];
}

/** Sends a span and returns the stored span. */
async function stored(fields: Record<string, unknown>, settings: Record<string, string> = ENABLED) {
  const running = await startCollector(settings);
  const { post, get, settled } = running;
  await post({ spans: [span(fields)] });
  await settled();
  const { trace, spans } = await get<{ trace: Record<string, unknown>; spans: AnsweredSpan[] }>(
    "/v1/traces/t1?full=1",
  );
  const [answered] = spans;
  if (answered === undefined) throw new Error("the span is not there");
  return { ...running, trace, answered };
}

/** Sends attributes and returns the stored attributes. */
async function storedAttributes(attributes: unknown): Promise<unknown> {
  return (await stored({ attributes })).answered.attributes;
}

function pipelineSpan(fields: Partial<Span> = {}): PipelineSpan {
  const made: Span = { name: "chat", trace_id: "t1", span_id: "s1", ...fields };
  const facts = readSpanFacts(made, CONTEXT, undefined, () => undefined);
  const batch = { body: Buffer.from(JSON.stringify({ spans: [made] })), spanCount: 1 };
  return createPipelineSpan(
    { span: made, facts, context: CONTEXT, batch },
    { isSampled: () => true, countsUsage: () => true },
  );
}

function redactor(counts: Record<string, number> = {}) {
  return createSpanRedactor({
    maxTextLength: 50_000,
    dropOnFailure: true,
    customPatterns: [],
    counters: {
      redacted: (pattern, matches) => (counts[pattern] = (counts[pattern] ?? 0) + matches),
      redactionFailed: (action) => (counts[action] = (counts[action] ?? 0) + 1),
    },
    onFailure: (error) => {
      throw error;
    },
    clock: systemClock,
    nextTurn,
  });
}

/** Redacts a small span synchronously. */
function redactNow(span: PipelineSpan): PipelineSpan | undefined {
  const redacted = redactor().redact(span);
  if (redacted instanceof Promise) throw new Error("the span is redacted in slices");
  return redacted;
}

describe("spec 4.9 rule 4: redaction of a span", () => {
  it("is off by default", async () => {
    const { answered, metric } = await stored({ attributes: { prompt_text: "a@b.example" } }, {});
    expect(answered.attributes).toEqual({ prompt_text: "a@b.example" });
    expect(await metric('obs_redactions_total{pattern="email"}')).toBe(0);
  });

  it("covers prompt_text and completion_text, and counts the replacements", async () => {
    const { answered, trace, metric, get } = await stored({
      span_type: "llm",
      attributes: { prompt_text: "I am a@b.example", completion_text: "SSN 123-45-6789, a@b.example" },
    });
    expect(answered.attributes).toEqual({
      prompt_text: "I am [EMAIL]",
      completion_text: "SSN [US_SSN], [EMAIL]",
    });
    expect(trace).toMatchObject({ input_preview: "I am [EMAIL]", output_preview: "SSN [US_SSN], [EMAIL]" });
    expect(await metric('obs_redactions_total{pattern="email"}')).toBe(2);
    expect(await metric('obs_redactions_total{pattern="us_ssn"}')).toBe(1);
    expect(await metric('obs_redaction_failures_total{action="dropped"}')).toBe(0);
    const found = await get<{ traces: unknown[] }>("/v1/traces?q=a@b.example");
    expect(found.traces).toEqual([]);
  });

  it("contract 6: covers every attribute that carries text, at any depth", async () => {
    const mail = "a@b.example";
    expect(
      await storedAttributes({
        input_text: mail,
        output_text: mail,
        error_message: `no such user ${mail}`,
        error_stack: `Error: ${mail}\n  at main`,
        user_id: mail,
        session_id: "session-4711",
        prompt_messages: [{ role: "user", parts: [{ type: "text", content: mail }] }],
        completion_messages: [
          {
            role: "assistant",
            parts: [
              {
                type: "tool_call",
                id: "call_1",
                name: "lookup",
                arguments: { to: mail, list: [1, mail, null] },
              },
              { type: "tool_call_response", id: "call_1", response: { [mail]: true } },
            ],
          },
        ],
        tool_definitions: [{ type: "function", name: "lookup", description: `ask ${mail}` }],
        "gen_ai.prompt.0.content": mail,
        "input.value": JSON.stringify({ text: `Hi\n${mail}` }),
        "customer.email": mail,
        "customer.count": 3,
        "customer.known": true,
      }),
    ).toEqual({
      input_text: "[EMAIL]",
      output_text: "[EMAIL]",
      error_message: "no such user [EMAIL]",
      error_stack: "Error: [EMAIL]\n  at main",
      user_id: "[EMAIL]",
      session_id: "session-4711",
      prompt_messages: [{ role: "user", parts: [{ type: "text", content: "[EMAIL]" }] }],
      completion_messages: [
        {
          role: "assistant",
          parts: [
            {
              type: "tool_call",
              id: "call_1",
              name: "lookup",
              arguments: { to: "[EMAIL]", list: [1, "[EMAIL]", null] },
            },
            { type: "tool_call_response", id: "call_1", response: { "[EMAIL]": true } },
          ],
        },
      ],
      tool_definitions: [{ type: "function", name: "lookup", description: "ask [EMAIL]" }],
      "gen_ai.prompt.0.content": "[EMAIL]",
      "input.value": JSON.stringify({ text: "Hi\n[EMAIL]" }),
      "customer.email": "[EMAIL]",
      "customer.count": 3,
      "customer.known": true,
    });
  });

  it("covers the name of the span and its events", async () => {
    const { answered, trace } = await stored({
      name: "answer a@b.example",
      events: [{ name: "exception", attributes: { "exception.message": "no a@b.example" } }],
    });
    expect(answered.name).toBe("answer [EMAIL]");
    expect(trace["root_name"]).toBe("answer [EMAIL]");
    expect(answered.events).toMatchObject([{ attributes: { "exception.message": "no [EMAIL]" } }]);
  });

  it("does not change labels of metrics and filters", async () => {
    const labels = {
      model: "gpt-5-mini-2025-08-07",
      agent: "team@support.example",
      tool_name: "10.0.0.1",
      evaluation_types: ["regex:a@b.example"],
    };
    expect(await storedAttributes(labels)).toEqual(labels);
  });

  it("does not change or truncate the image of a blob part", async () => {
    const content = Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at * 7919) % 256)).toString(
      "base64",
    );
    const prompt_messages = [
      { role: "user", parts: [{ type: "blob", modality: "image", mime_type: "image/png", content }] },
    ];
    expect(await storedAttributes({ prompt_messages })).toEqual({ prompt_messages });
  });

  it("redacts a blob part whose content is not base64", async () => {
    const parts = (content: string) => ({
      prompt_messages: [{ role: "user", parts: [{ type: "blob", content }] }],
    });
    expect(await storedAttributes(parts("mail a@b.example"))).toEqual(parts("mail [EMAIL]"));
  });

  it("uses the key of a value, which can name a secret, an id or a version", async () => {
    expect(
      await storedAttributes({
        arguments: {
          password: "hunter two",
          clientSecret: "x",
          headers: { "x-api-key": "abc", Authorization: "Bearer x" },
          userSSN: "123456789",
          ssns: ["234567891", 345678912],
          phone_number: "030 1234567",
          card: 4_111_111_111_111_111,
          order: 1_234_567_891,
          token: "Hello",
          max_tokens: 4096,
        },
        "app.version": "1.2.3.4",
        "app.peer": "1.2.3.4",
      }),
    ).toEqual({
      arguments: {
        password: "[SECRET]",
        clientSecret: "[SECRET]",
        headers: { "x-api-key": "[SECRET]", Authorization: "[SECRET]" },
        userSSN: "[US_SSN]",
        ssns: ["[US_SSN]", "[US_SSN]"],
        phone_number: "[PHONE_NUMBER]",
        card: "[CARD_NUMBER]",
        order: 1_234_567_891,
        token: "Hello",
        max_tokens: 4096,
      },
      "app.version": "1.2.3.4",
      "app.peer": "[IP_ADDRESS]",
    });
  });

  it("redacts numbers, lists and objects under the key of a secret, and name-value pairs with such a name", async () => {
    expect(
      await storedAttributes({
        arguments: {
          password: 4711,
          credentials: { user: "ann", key: { value: "abc", tries: 3, isSet: true } },
          passwords: ["hunter two", 12],
          api_keys: ["a", { value: "b" }],
          cookies: { sid: "abc" },
          pass: "hunter2",
          db_pass: "letmein",
          smtpPass: 123456,
          tokens: ["ghost0123456789abcdef", "Hello", " world"],
          headers: [
            { name: "X-Api-Key", value: "abc" },
            { key: "Authorization", value: { stringValue: "abc" } },
            { name: "Accept", value: "text/html" },
            { name: "SSN", value: "123456789" },
          ],
          card_number: 4_000_000_000_000_000_000,
        },
      }),
    ).toEqual({
      arguments: {
        password: "[SECRET]",
        credentials: { user: "[SECRET]", key: { value: "[SECRET]", tries: 3, isSet: true } },
        passwords: ["[SECRET]", "[SECRET]"],
        api_keys: ["[SECRET]", { value: "[SECRET]" }],
        cookies: { sid: "[SECRET]" },
        pass: "[SECRET]",
        db_pass: "[SECRET]",
        smtpPass: "[SECRET]",
        tokens: ["[SECRET]", "Hello", " world"],
        headers: [
          { name: "X-Api-Key", value: "[SECRET]" },
          { key: "Authorization", value: { stringValue: "[SECRET]" } },
          { name: "Accept", value: "text/html" },
          { name: "SSN", value: "[US_SSN]" },
        ],
        card_number: "[CARD_NUMBER]",
      },
    });
  });

  it("does not change token counts, test outcomes and tool schemas", async () => {
    const survivors = {
      usage: {
        tokens: 4096,
        tokens_input: 12,
        max_tokens: 100_000,
        total_tokens: 123_456_789,
        user_tokens: 17,
        prompt_tokens_details: { cached_tokens: 1024 },
        completion_tokens: { reasoning_tokens: 7, accepted_prediction_tokens: 0 },
        tokens_by_step: { tokens: { input: 3, output: 4 } },
      },
      tests: { pass: 12, fail: 3, compass: "north by east", first_pass: "a draft", bypass: "no" },
      verdict: { pass: true, pass_rate: 0.9 },
      outcome: { pass: "passed" },
      logprobs: { tokens: ["Hello", ",", " world", "2026"] },
      tool_definitions: [
        {
          name: "log_in",
          parameters: {
            type: "object",
            properties: {
              password: { type: "string", description: "of the user", minLength: 8 },
              credentials: { anyOf: [{ type: "string" }, { type: "null" }], title: "Credentials" },
            },
            required: ["password"],
          },
        },
      ],
      snowflake: 1_763_704_676_123_456_789,
      hash: 4_611_686_018_427_388_000,
    };
    expect(await storedAttributes(survivors)).toEqual(survivors);
  });

  it("redacts custom types and statuses of a span", async () => {
    const { answered, trace } = await stored({
      span_type: "mail a@b.example",
      status: "sent to a@b.example",
    });
    expect(answered).toMatchObject({ span_type: "mail [EMAIL]", status: "sent to [EMAIL]" });
    expect(JSON.stringify(trace)).not.toContain("a@b.example");
  });

  it("redacts values of an unexpected type under the name of a label", () => {
    const mail = "a@b.example";
    const attributes = {
      model: [mail],
      agent: { name: mail },
      evaluation_types: ["relevance", { criteria: mail }],
    };
    expect(redactNow(pipelineSpan({ attributes }))?.span.attributes).toEqual({
      model: ["[EMAIL]"],
      agent: { name: "[EMAIL]" },
      evaluation_types: ["relevance", { criteria: "[EMAIL]" }],
    });
  });

  it("redacts base64 text in a blob part, and an API key that looks like base64", async () => {
    const parts = (...contents: string[]) => ({
      prompt_messages: [{ role: "user", parts: contents.map((content) => ({ type: "blob", content })) }],
    });
    const encoded = (text: string): string => Buffer.from(text).toString("base64");
    const icon =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const key = "sk-abcdefghij1234567890ABCDEFGHIJ";
    expect(
      await storedAttributes(parts(encoded("Grüße an a@b.example"), encoded("nothing here"), icon, key)),
    ).toEqual(parts(encoded("Grüße an [EMAIL]"), encoded("nothing here"), icon, "[API_KEY]"));
  });

  it("keeps both values of two keys with the same redacted form, and a key `__proto__` as data", () => {
    const { attributes } = JSON.parse(
      '{"attributes":{"x":{"a@b.example":1,"c@d.example":2,"__proto__":"e@f.example"}}}',
    ) as { attributes: Span["attributes"] };
    const redacted = redactNow(pipelineSpan({ ...(attributes && { attributes }) }));
    expect(JSON.stringify(redacted?.span.attributes)).toBe(
      '{"x":{"[EMAIL]":1,"[EMAIL] 2":2,"__proto__":"[EMAIL]"}}',
    );
  });

  it("truncates each text to redaction.max_text_length before the patterns run", async () => {
    const { answered } = await stored(
      { attributes: { prompt_text: "words and words, then 4111 1111 1111 1111", short: "as it is" } },
      { ...ENABLED, REDACTION_MAX_TEXT_LENGTH: "30" },
    );
    expect(answered.attributes).toEqual({ prompt_text: "words and words, then ", short: "as it is" });
  });

  it("runs custom patterns from REDACTION_CUSTOM_PATTERNS_JSON after the built-in ones", async () => {
    const { answered, metric } = await stored(
      { attributes: { prompt_text: "EMP-123 is a@b.example" } },
      {
        ...ENABLED,
        REDACTION_CUSTOM_PATTERNS_JSON: JSON.stringify([
          { pattern: "EMP-[0-9]+", replacement: "[$&]" },
          { pattern: String.raw`\[EMAIL\]`, replacement: "<mail>" },
        ]),
      },
    );
    expect(answered.attributes["prompt_text"]).toBe("[$&] is <mail>");
    expect(await metric('obs_redactions_total{pattern="custom_1"}')).toBe(1);
  });

  it("runs after the metrics, which count the received span (spec 1)", async () => {
    const { post, settled, metric } = await startCollector({ ...ENABLED, SAMPLING_RATE: "0" });
    await post({ spans: [span({ attributes: { prompt_text: "a@b.example" } })] });
    await settled();
    expect(await metric("obs_spans_processed_total")).toBe(1);
    expect(await metric('obs_redactions_total{pattern="email"}')).toBe(0);
  });
});

describe("redaction never mutates a span", () => {
  it("returns the same object with the received bytes when nothing changes", () => {
    const before = pipelineSpan({
      attributes: { prompt_text: "nothing to see", model: "gpt-5-mini", nested: { list: ["a", 1, null] } },
      events: [{ name: "done", attributes: { text: "fine" } }],
    });
    expect(redactNow(before)).toBe(before);
  });

  it("returns a copy that refers to the original span when something changes", () => {
    const before = pipelineSpan({
      name: "ask a@b.example",
      attributes: { prompt_text: "a@b.example", untouched: { a: 1 } },
    });
    const copy = structuredClone(before.span);
    const after = redactNow(before);
    expect(before.span).toEqual(copy);
    expect(after?.facts).toMatchObject({ name: "ask [EMAIL]", spanId: "s1" });
    expect(after?.origin).toBe(before.origin);
    expect(after?.span.attributes?.["untouched"]).toBe(before.span.attributes?.["untouched"]);
  });

  it("redacts attributes and events of an unexpected shape", () => {
    const odd = {
      attributes: "a@b.example",
      events: ["a@b.example", { name: 7, attributes: ["a@b.example"] }],
    };
    const after = redactNow(pipelineSpan(odd as unknown as Partial<Span>));
    expect(after?.span).toMatchObject({
      attributes: "[EMAIL]",
      events: ["[EMAIL]", { name: 7, attributes: ["[EMAIL]"] }],
    });
  });
});

describe("spec 2.6 redaction.drop_on_failure", () => {
  function failing(dropOnFailure: boolean) {
    const actions: string[] = [];
    const warnings: unknown[] = [];
    let nowMs = 0;
    const wrapped = withFailureAction(
      {
        redact: () => {
          throw new Error("out of luck");
        },
      },
      {
        dropOnFailure,
        counters: { redacted: () => undefined, redactionFailed: (action) => actions.push(action) },
        onFailure: (error) => warnings.push(error),
        clock: { monotonic: () => nowMs },
      },
    );
    return { actions, warnings, redact: wrapped.redact, pass: (ms: number) => (nowMs += ms) };
  }

  it("true, the default: drops and counts the span", () => {
    const { redact, actions } = failing(true);
    expect(redact(pipelineSpan())).toBeUndefined();
    expect(actions).toEqual(["dropped"]);
  });

  it("false: keeps the unredacted span, and counts it", () => {
    const { redact, actions } = failing(false);
    const before = pipelineSpan();
    expect(redact(before)).toBe(before);
    expect(actions).toEqual(["kept"]);
  });

  it("logs one warning per episode, which ends after a minute without a failure", () => {
    const { redact, warnings, pass } = failing(true);
    for (let second = 0; second < 120; second++) {
      void redact(pipelineSpan());
      pass(1000);
    }
    expect(warnings).toHaveLength(1);
    pass(60_000);
    void redact(pipelineSpan());
    expect(warnings).toHaveLength(2);
  });

  it("over HTTP: a span whose redaction fails is only in the metrics", async () => {
    // All searches in a text of `a` together are quadratic and exceed the time limit.
    const { post, settled, metric, collector, get, lines } = await startCollector(
      {
        ...ENABLED,
        REDACTION_CUSTOM_PATTERNS_JSON: JSON.stringify([{ pattern: "a.*?b|a", replacement: "" }]),
      },
      { clock: { now: () => Date.now(), monotonic: steppingClock(100) } },
    );
    await post({ spans: [span({ attributes: { prompt_text: "a a a a a a" } }), span({ trace_id: "t2" })] });
    await settled();
    expect(collector.ledger()).toMatchObject({ processed: 2, dropped: { internal_error: 0 } });
    expect(await metric('obs_redaction_failures_total{action="dropped"}')).toBe(1);
    const { traces } = await get<{ traces: { trace_id: string }[] }>("/v1/traces");
    expect(traces.map(({ trace_id }) => trace_id)).toEqual(["t2"]);
    expect(lines.filter(({ message }) => message.includes("redaction failed"))).toEqual([
      expect.objectContaining({ level: "WARNING" }),
    ]);
  });
});

/** A clock that advances by a step at each call. */
function steppingClock(stepMs: number): () => number {
  let nowMs = 0;
  return () => (nowMs += stepMs);
}
