import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runSteps } from "../../src/analysis/in-steps.js";
import { readMessages } from "../../src/analysis/read-messages.js";
import type { SpanNode } from "../../src/analysis/span-tree.js";
import { AgentThreads, type OpenTurn } from "../../src/analysis/transcript/agent-threads.js";
import { Conversation } from "../../src/analysis/transcript/conversation.js";
import { shortenTexts } from "../../src/query/shorten-texts.js";
import { newSpan } from "./spans.js";
import { unitsOf, type MessageUnit } from "../../src/analysis/transcript/message-units.js";
import { WaitingTools, type OpenTool } from "../../src/analysis/transcript/tool-of-use.js";
import { addReasoning } from "../../src/analysis/transcript/turn-messages.js";

const said = (role: string, ...texts: string[]) =>
  texts.map((content) => ({ role, parts: [{ type: "text", content }] }));
const user = (...texts: string[]) => said("user", ...texts);
const answer = (...texts: string[]) => said("assistant", ...texts);
const system = (text: string) => said("system", text);

const textOf = ({ parts }: MessageUnit): string =>
  parts
    .map((part) => (part.kind === "text" && typeof part.text === "string" ? part.text : part.kind))
    .join("");

/** Adds calls, and returns the texts that were new in each. */
function newTexts(...calls: readonly (readonly [input: unknown[], output?: unknown[]])[]): string[][] {
  const conversation = new Conversation();
  return calls.map(([input, output = []]) =>
    [
      ...runSteps(conversation.add(unitsOf(readMessages(input, "in")), unitsOf(readMessages(output, "out")))),
    ].map(textOf),
  );
}

describe("the conversation of an agent", () => {
  it("grows by what a call did not have before", () => {
    const first = [...system("s"), ...user("a")];
    const second = [...first, ...answer("x"), ...user("b")];
    expect(newTexts([first, answer("x")], [second, answer("y")], [[...second, ...answer("y")]])).toEqual([
      ["s", "a"],
      ["b"],
      [],
    ]);
  });

  it("has a text twice that was said twice, also if its beginning is no longer sent", () => {
    expect(
      newTexts(
        [user("yes"), answer("x")],
        [[...user("yes"), ...answer("x"), ...user("yes")], answer("x")],
        [[...user("yes"), ...answer("x"), ...user("yes")], answer("x")],
        [[...answer("x"), ...user("yes")]],
      ),
    ).toEqual([["yes"], ["yes"], [], ["yes"]]);
  });

  it("does not grow by a call that is made again", () => {
    expect(
      newTexts([user("a")], [user("a")], [[...system("s"), ...user("a")]], [[...system("s"), ...user("a")]]),
    ).toEqual([["a"], [], ["s"], []]);
  });

  it("takes a summary for new and what is kept after it for known", () => {
    const history = [...user("a"), ...answer("x"), ...user("b")];
    expect(
      newTexts(
        [user("a"), answer("x")],
        [history, answer("y")],
        [[...user("summary"), ...user("b"), ...answer("y"), ...user("c")]],
      ),
    ).toEqual([["a"], ["b"], ["summary", "c"]]);
  });

  it("follows threads that take turns, and finds what they have in common", () => {
    expect(
      newTexts(
        [[...system("classify"), ...user("q")], answer("label")],
        [[...system("plan"), ...user("q")], answer("x")],
        [[...system("classify"), ...user("q2")], answer("label")],
        [[...system("plan"), ...user("q"), ...answer("x"), ...user("b")], answer("y")],
        [[...system("plan"), ...user("q"), ...answer("x"), ...user("b"), ...answer("y"), ...user("c")]],
      ),
    ).toEqual([["classify", "q"], ["plan"], ["q2"], ["b"], ["c"]]);
  });

  it("knows an answer that is sent back in another encoding", () => {
    const call = { type: "tool_call", id: "c1", name: "get", arguments: '{"b": 1, "a": [2]}' };
    const output = [{ role: "assistant", parts: [{ type: "text", content: "I look.\n" }, call] }];
    const input = [
      ...user("q"),
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { id: "other", type: "function", function: { name: "get", arguments: { a: [2], b: 1 } } },
        ],
      },
      { role: "tool", tool_call_id: "other", content: "42" },
    ];
    const again = [
      ...user("q"),
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "I look." },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "get", input: { a: [2], b: 1 } }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "42" }] }],
      },
    ];
    expect(newTexts([user("q"), output], [input], [again])).toEqual([["q"], ["result"], ["reasoning"]]);
  });

  it("compares calls by their id where a long text is only a preview", () => {
    const cut = { truncated: true, bytes: 5000, preview: '{"text":"aaa' };
    const call = (args: unknown) => [
      { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "write", arguments: args }] },
    ];
    const full = { text: { truncated: true, bytes: 4900, preview: "aaa" }, path: "a.txt" };
    expect(newTexts([user("q"), call(cut)], [[...user("q"), ...call(full)]])).toEqual([["q"], []]);
  });

  it("takes a whole text and its preview for equal", () => {
    const long = answer(`😀 ${"a long text ".repeat(500)}`);
    const { attributes } = shortenTexts(
      newSpan("s", null, 0, 1, { attributes: { messages: [...user("q"), ...long] as never } }),
    ) as { attributes: { messages: unknown[] } };
    expect(attributes.messages[1]).not.toEqual(long[0]);
    expect(newTexts([user("q"), long], [attributes.messages], [[...user("q"), ...long]])).toEqual([
      ["q"],
      [],
      [],
    ]);
  });

  it("finds every message of the user once, whatever part of the conversation is sent", () => {
    const step = fc.record({
      asked: fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 3 }),
      kept: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const history: unknown[] = [];
        const calls = steps.map(({ asked, kept }, index) => {
          const answered = `answer ${index}`;
          const input = [...system("s"), ...history.slice(-kept), ...user(...asked)];
          history.push(...user(...asked), ...answer(answered));
          return [input, answer(answered)] as const;
        });
        const found = newTexts(...calls.map(([input, output]) => [input, output] as const));
        expect(found.map((texts) => texts.filter((text) => text !== "s"))).toEqual(
          steps.map(({ asked }) => asked),
        );
      }),
    );
  });
});

const MANY = 2000;
const pieces = (count: number, of: (index: number) => unknown): MessageUnit[] =>
  unitsOf(
    readMessages(
      Array.from({ length: count }, (_, index) => of(index)),
      "many",
    ),
  );
const says = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });

/** The same pieces, which count how often one of their fields is read. */
function counted(
  units: readonly MessageUnit[],
  field: "key" | "isReasoning",
  onRead: () => void,
): MessageUnit[] {
  return units.map((unit) =>
    Object.defineProperty({ ...unit }, field, {
      get() {
        onRead();
        return unit[field];
      },
    }),
  );
}

describe("a conversation of very many pieces", () => {
  const user = (text: string) => says("user", text);
  const result = (response: string) => ({
    role: "tool",
    parts: [{ type: "tool_call_response", id: "same", response }],
  });

  it.each([
    ["an answer that is sent back behind others", user, ["a"], ["z"], ["a", "z"]],
    [
      "results of one id, behind another one",
      (text: string, n: number) => result(`${text}${n}`),
      ["a"],
      [],
      ["b", "a"],
    ],
  ])("compares each with a bounded number of others: %s", (_name, make, asked, answered, sent) => {
    let reads = 0;
    const many = (texts: readonly string[]) =>
      counted(
        texts.flatMap((text) => pieces(MANY, (n) => make(text, n))),
        "key",
        () => void reads++,
      );
    const conversation = new Conversation();
    runSteps(conversation.add(many(asked), many(answered)));
    runSteps(conversation.add(many(sent), []));
    // A few reads for each of at most 64 places.
    expect(reads).toBeLessThan(500 * MANY);
  });

  it("inserts very many pieces between others", () => {
    const conversation = new Conversation();
    for (let call = 0; call < 10; call++) {
      const input = pieces(MANY + 1, (n) => user(n === 0 ? "known" : `${call} ${n}`));
      expect(runSteps(conversation.add(input, [])).size).toBe(MANY + (call === 0 ? 1 : 0));
    }
  });

  it("looks once at each part of its reasoning", () => {
    let reads = 0;
    const parts = [
      ...Array.from({ length: MANY }, (_, n) => ({ type: "reasoning", content: `${n}` })),
      { type: "text", content: "z" },
    ];
    const input = counted(
      unitsOf(readMessages([{ role: "assistant", parts }], "in")),
      "isReasoning",
      () => void reads++,
    );
    const thread = new AgentThreads().of(undefined);
    const said = input.at(-1)?.key ?? "";
    const turn = { reasoning: [] } as unknown as OpenTurn;
    thread.turnOf.set(said, turn);
    expect(runSteps(addReasoning(thread, input, new Set(input.slice(0, -1)))).size).toBe(MANY);
    expect(turn.reasoning.map(({ parts: [part] }) => part)).toEqual(
      input.slice(0, -1).map(({ parts: [part] }) => part),
    );
    expect(reads).toBeLessThan(4 * MANY);
  });

  it("finds the call of each result without looking at every call", () => {
    let reads = 0;
    const tools = new WaitingTools();
    const waiting = Array.from({ length: MANY }, (_, n) => {
      const call = { kind: "call", id: `c${n}`, name: "t" };
      return Object.defineProperty({ result: undefined }, "call", { get: () => (reads++, call) });
    }) as unknown as OpenTool[];
    for (const tool of waiting) tools.add(tool);
    const result = (id: string) =>
      readMessages([{ role: "tool", parts: [{ type: "tool_call_response", id, response: id }] }], id);
    const node = {} as SpanNode;
    for (let n = 0; n < MANY; n++) expect(runSteps(tools.answer(result(`other${n}`), node))).toHaveLength(1);
    for (let n = MANY - 1; n >= 0; n--) expect(runSteps(tools.answer(result(`c${n}`), node))).toEqual([]);
    expect(waiting.map(({ result: found }) => found?.response)).toEqual(waiting.map((_, n) => `c${n}`));
    expect(reads).toBeLessThan(10 * MANY);
  });
});
