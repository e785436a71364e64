import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { listenToConsole, recordingSdk } from "../fresh-sdk.js";

describe("function wrappers", () => {
  it.each(["llm", "tool", "agent", "task", "retrieval", "embedding"] as const)(
    "%s records a span of its kind with the name of the function",
    async (kind) => {
      const sdk = await recordingSdk();
      const wrapped = sdk[kind](function work(value: number) {
        return value + 1;
      });
      expect(wrapped(1)).toBe(2);
      expect(sdk.takeSpans()).toEqual([
        expect.objectContaining({
          name: "work",
          span_type: kind,
          status: "OK",
          duration_ms: expect.any(Number),
        }),
      ]);
    },
  );

  it("the wrapped function keeps its type, name, length, properties, kind and `this`", async () => {
    const { tool, llm, task } = await recordingSdk();
    async function search(this: { base: string }, query: string, limit: number): Promise<string> {
      return `${this.base}${query}${limit}`;
    }
    search.schema = { type: "object" };
    const wrapped = tool("search", search);
    expectTypeOf(wrapped).toEqualTypeOf(search);
    expect([wrapped.name, wrapped.length, wrapped.schema]).toEqual(["search", 2, search.schema]);
    expect(Object.prototype.toString.call(wrapped)).toBe("[object AsyncFunction]");
    expect(await wrapped.call({ base: "b:" }, "q", 3)).toBe("b:q3");

    const first = llm(<T>(items: readonly T[]): T | undefined => items[0]);
    expectTypeOf(first<string>).returns.toEqualTypeOf<string | undefined>();
    expect(first([1])).toBe(1);

    const named = task({ name: "other" }, search);
    expectTypeOf(named).toEqualTypeOf(search);
    expect(named.name).toBe("search");
  });

  it("records neither headers nor the state of a connection when it wraps a request handler", async () => {
    const { observe, takeSpans } = await recordingSdk();
    const handle = observe("GET /")(async (request: IncomingMessage, response: ServerResponse) =>
      response.end(request.method),
    );
    const server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const headers = { authorization: "Bearer a-key", cookie: "session=1", connection: "close" };
    expect(await (await fetch(`http://127.0.0.1:${port}`, { headers })).text()).toBe("GET");
    expect(takeSpans()).toEqual([
      expect.objectContaining({
        name: "GET /",
        attributes: {
          input_text: '["[object IncomingMessage]","[object ServerResponse]"]',
          output_text: "[object ServerResponse]",
        },
      }),
    ]);
  });

  it("is called as fn, (name, fn), (options, fn) and (options)(fn)", async () => {
    const { tool, takeSpans } = await recordingSdk();
    const add = (a: number, b: number) => a + b;
    const wrapped = [
      tool(add),
      tool("sum", add),
      tool({ name: "plus" }, add),
      tool("late")(add),
      tool()(add),
    ];
    for (const fn of wrapped) {
      expectTypeOf(fn).toEqualTypeOf(add);
      expect(fn(1, 2)).toBe(3);
    }
    const spans = takeSpans();
    expect(spans.map(({ name }) => name)).toEqual(["add", "sum", "plus", "late", "add"]);
    expect(spans.map(({ attributes }) => attributes?.["tool_name"])).toEqual([
      "add",
      "sum",
      "plus",
      "late",
      "add",
    ]);
  });

  it("nested calls become parent and child across awaits, callbacks and parallel branches", async () => {
    const { agent, task, tool, takeSpans } = await recordingSdk();
    const leaf = tool("leaf", async (n: number) => n);
    const branch = task("branch", async (n: number) => {
      await new Promise((resolve) => setImmediate(resolve));
      return leaf(n);
    });
    await agent("root", async () => Promise.all([branch(1), branch(2)]))();
    const spans = takeSpans();
    const root = spans.find(({ name }) => name === "root");
    const branches = spans.filter(({ name }) => name === "branch");
    const leaves = spans.filter(({ name }) => name === "leaf");
    expect(root?.parent_span_id).toBeUndefined();
    expect(branches.map((span) => span.parent_span_id)).toEqual([root?.span_id, root?.span_id]);
    expect(new Set(leaves.map((span) => span.parent_span_id))).toEqual(
      new Set(branches.map((span) => span.span_id)),
    );
    expect(new Set(spans.map((span) => span.trace_id)).size).toBe(1);
    expect(root?.trace_id).toMatch(/^[0-9a-f]{32}$/);
    expect(root?.span_id).toMatch(/^[0-9a-f]{16}$/);
  });

  it("two separate calls are two traces with consistent times", async () => {
    // Both clocks move only here: the process may be suspended between two readings of them.
    const originMs = Date.now() - performance.now();
    let nowMs = performance.now();
    const clocks = [
      vi.spyOn(performance, "now").mockImplementation(() => nowMs),
      vi.spyOn(Date, "now").mockImplementation(() => originMs + nowMs),
    ];
    onTestFinished(() => clocks.forEach((clock) => clock.mockRestore()));
    const { task, takeSpans } = await recordingSdk();
    const before = Date.now();
    const step = task("step", async () => {
      await Promise.resolve();
      nowMs += 5;
    });
    await step();
    await step();
    const [first, second] = takeSpans();
    expect(first?.trace_id).not.toBe(second?.trace_id);
    expect(first?.start_time).toBeCloseTo(before, 1);
    expect(first?.duration_ms).toBeCloseTo(5, 1);
    expect(second?.start_time).toBeCloseTo(before + 5, 1);
  });

  it.each([1, -1])(
    "times and durations stay consistent when the system clock is changed by %d day while spans are open",
    async (days) => {
      const clock = vi.spyOn(Date, "now");
      onTestFinished(() => clock.mockRestore());
      let setMs = 0;
      clock.mockImplementation(() => performance.timeOrigin + performance.now() + setMs);
      const { startSpan, takeSpans } = await recordingSdk();
      const outer = startSpan("outer");
      setMs = days * 86_400_000;
      const inner = outer.run(() => startSpan("inner"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      inner.addEvent("tick").end();
      outer.end();
      const [innerSpan, outerSpan] = takeSpans();
      const [start, end] = [Number(outerSpan?.start_time), Number(outerSpan?.duration_ms)];
      const times = [start, Number(innerSpan?.start_time), Number(innerSpan?.events?.[0]?.time), start + end];
      expect(times).toEqual(times.toSorted((left, right) => left - right));
      expect(innerSpan?.duration_ms).toBeGreaterThanOrEqual(4);
      expect(end).toBeLessThan(60_000);
    },
  );

  it("spans inside an inner agent carry the inner agent's name", async () => {
    const { agent, tool, takeSpans } = await recordingSdk();
    const look = tool("look", () => 1);
    const billing = agent("billing", () => look());
    agent("support", () => [look(), billing(), look()])();
    expect(takeSpans().map((span) => [span.name, span.attributes?.["agent"]])).toEqual([
      ["look", "support"],
      ["look", "billing"],
      ["billing", "billing"],
      ["look", "support"],
      ["support", "support"],
    ]);
  });

  it("records prompt and completion of llm calls, arguments and results of other calls", async () => {
    const { llm, tool, embedding, takeSpans } = await recordingSdk();
    llm(
      { model: "gpt-5-mini", provider: "openai" },
      (prompt: string, times: number) => prompt + "!".repeat(times),
    )("Hi", 1);
    llm((request: { messages: unknown[] }) => ({
      id: request.messages.length,
      model: "m-2",
      choices: [{ message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 2 } },
    }))({
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"q":1}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "found" },
      ],
    });
    llm((prompt: string) => ({
      content: [{ type: "text", text: `To ${prompt}` }],
      stop_reason: "end_turn",
      usage: {
        input_tokens: 3,
        output_tokens: 4,
        cache_read_input_tokens: 10,
        cache_creation_input_tokens: 2,
      },
    }))("Ann");
    tool("sum", (a: number, b: number) => ({ sum: a + b }))(1, 2);
    embedding((text: string) => ({ usage: { prompt_tokens: text.length }, data: [[0.1, 0.2]] }))("abc");
    const [plain, chat, message, sum, embedded] = takeSpans().map(({ attributes }) => attributes);
    expect(plain).toEqual({
      model: "gpt-5-mini",
      provider: "openai",
      prompt_text: "Hi",
      completion_text: "Hi!",
    });
    expect(chat).toEqual({
      prompt_messages: [
        { role: "system", parts: [{ type: "text", content: "Be short." }] },
        { role: "user", parts: [{ type: "text", content: "Hi" }] },
        { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "look", arguments: { q: 1 } }] },
        { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "found" }] },
      ],
      completion_text: "Hello",
      model: "m-2",
      tokens_input: 5,
      tokens_output: 7,
      tokens_cached: 2,
    });
    expect(message).toEqual({
      prompt_text: "Ann",
      completion_text: "To Ann",
      tokens_input: 15,
      tokens_output: 4,
      tokens_cached: 10,
      tokens_cache_write: 2,
      finish_reason: "end_turn",
    });
    expect(sum).toEqual({ tool_name: "sum", input_text: "[1,2]", output_text: '{"sum":3}' });
    expect(embedded).toEqual({ input_text: "abc", tokens_input: 3 });
  });

  it("parses the arguments of a tool call that a span can keep, and clips longer ones as text", async () => {
    const { llm, takeSpans } = await recordingSdk();
    const argumentsOf = (length: number): unknown => {
      const args = JSON.stringify({ text: "a ".repeat(length / 2) });
      llm((_request: object) => "ok")({
        messages: [
          { role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: args } }] },
        ],
      });
      const [messages] = takeSpans().map(({ attributes }) => attributes?.["prompt_messages"]);
      return (messages as { parts: { arguments: unknown }[] }[])[0]?.parts[0]?.arguments;
    };
    expect(argumentsOf(1000)).toEqual({ text: "a ".repeat(500) });
    expect(argumentsOf(2_000_000)).toContain("… [clipped: 2000011 characters]");
  });

  it("captureInput: false and captureOutput: false of a wrapper leave out its texts", async () => {
    const { tool, takeSpans } = await recordingSdk();
    tool(
      { name: "login", captureInput: false, captureOutput: false },
      (password: string) => password,
    )("secret");
    expect(takeSpans()[0]?.attributes).toEqual({ tool_name: "login" });
  });

  it("arguments are copied at the call, so that later changes have no effect", async () => {
    const { llm, takeSpans } = await recordingSdk();
    const messages = [{ role: "user", content: "first" }];
    llm((given: unknown[]) => given.push({ role: "user", content: "second" }))(messages);
    messages.length = 0;
    expect(takeSpans()[0]?.attributes?.["prompt_messages"]).toEqual([
      { role: "user", parts: [{ type: "text", content: "first" }] },
    ]);
  });

  it("a promise of another class stays the same object, is not started early, and ends the span when it is awaited", async () => {
    const { task, takeSpans } = await recordingSdk();
    class Query {
      runs = 0;
      extra = () => "extra";
      then<T>(resolve: (rows: string) => T): Promise<T> {
        this.runs++;
        return Promise.resolve("rows").then(resolve);
      }
    }
    const query = new Query();
    const returned = task("query", () => query)();
    expect(returned).toBe(query);
    expect([query.runs, returned.extra(), takeSpans()]).toEqual([0, "extra", []]);
    expect(await returned).toBe("rows");
    expect(await returned).toBe("rows");
    expect(query.runs).toBe(1);
    expect(takeSpans()).toEqual([expect.objectContaining({ name: "query", status: "OK" })]);
  });
});

describe("the arguments of a wrapper", () => {
  it("tool(fn, name) and tool(fn, options) wrap the function too", async () => {
    const { tool, takeSpans } = await recordingSdk();
    const named = tool((value: number) => value + 1, "add");
    const described = tool((value: number) => value + 1, { name: "add more", captureInput: false });
    expect([named(1), described(2)]).toEqual([2, 3]);
    expect(takeSpans().map(({ name, attributes }) => [name, attributes?.["input_text"]])).toEqual([
      ["add", "1"],
      ["add more", undefined],
    ]);
  });

  it("one warning says what a wrapper expects when it gets no function", async () => {
    const heard = listenToConsole();
    const { tool } = await recordingSdk();
    const untyped = tool as unknown as (...args: unknown[]) => unknown;
    untyped("search", "no function");
    untyped("search", { run: () => 1 });
    expect(heard.warnings).toEqual([expect.stringContaining('tool("name", fn) wraps functions')]);
  });
});
