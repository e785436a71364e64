import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import { newSpan } from "./spans.js";

/** Makes a trace of about so many spans or messages. Its spans are in order of start. */
type Shape = (size: number) => NormalizedSpan[];

interface Step {
  readonly id: string;
  readonly parent: string | null;
  readonly type: string;
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly hasFailed?: boolean;
}

/** Steps that start one after the other. */
function spansOf(steps: readonly Step[]): NormalizedSpan[] {
  return steps.map(({ id, parent, type, name = "poll", attributes = {}, hasFailed = false }, index) =>
    newSpan(id, parent, index, 1, {
      name,
      span_type: type,
      status: hasFailed ? "ERROR" : "OK",
      attributes: attributes as NormalizedSpan["attributes"],
    }),
  );
}

function list<Item>(length: number, itemAt: (index: number) => Item): Item[] {
  return Array.from({ length: Math.max(1, Math.floor(length)) }, (_, index) => itemAt(index));
}

/** Each span is inside the one before. */
function chain(
  length: number,
  stepAt: (index: number) => Omit<Step, "id" | "parent">,
  top: string | null,
): Step[] {
  return list(length, (n) => ({ id: `c${n}`, parent: n === 0 ? top : `c${n - 1}`, ...stepAt(n) }));
}

const RUN: Step = { id: "run", parent: null, type: "agent" };
const toolCall = (args: object, id = "") => ({ type: "tool_call", id, name: "poll", arguments: args });
const answer = (parts: readonly object[]) => ({ completion_messages: [{ role: "assistant", parts }] });

/** Traces whose shape makes careless work grow with the square of their size. */
export const HOSTILE_SHAPES: Readonly<Record<string, Shape>> = {
  "a wide star": (size) =>
    spansOf([
      RUN,
      ...list(size, (n) => ({
        id: `s${n}`,
        parent: "run",
        type: ["llm", "tool", "task"][n % 3] ?? "task",
        name: `step ${n}`,
        attributes: { input_text: `${n % 7}`, output_text: `${n}`, tokens_input: n, model: `m${n}` },
      })),
    ]),
  "a deep chain with a model call at each level": (size) =>
    spansOf(
      list(size / 2, (n) => [
        { id: `t${n}`, parent: n === 0 ? null : `t${n - 1}`, type: "task" },
        { id: `l${n}`, parent: `t${n}`, type: "llm", attributes: { output_text: "x", tokens_input: 3 } },
      ]).flat(),
    ),
  "agents inside agents, each with a call and a tool": (size) =>
    spansOf(
      list(size / 3, (n) => [
        { id: `a${n}`, parent: n === 0 ? null : `a${n - 1}`, type: "agent", attributes: { agent: `a${n}` } },
        { id: `l${n}`, parent: `a${n}`, type: "llm", attributes: { output_text: "x", tokens_input: 3 } },
        { id: `t${n}`, parent: `a${n}`, type: "tool" },
      ]).flat(),
    ),
  "agents that only start each other": (size) =>
    spansOf(chain(size, (n) => ({ type: "agent", attributes: { agent: `a${n % 5}` } }), null)),
  "model calls inside model calls": (size) =>
    spansOf(chain(size, () => ({ type: "llm", attributes: { output_text: "x" } }), null)),
  "tools inside tools": (size) => spansOf([RUN, ...chain(size, () => ({ type: "tool" }), "run")]),
  "failures inside failures of one step": (size) =>
    spansOf([
      RUN,
      { id: "tool", parent: "run", type: "tool" },
      ...chain(size, () => ({ type: "task", hasFailed: true, attributes: { error_message: "no" } }), "tool"),
    ]),
  "a ring of parents": (size) =>
    spansOf(
      list(size, (n) => ({
        id: `r${n}`,
        parent: `r${(n + 1) % Math.floor(size)}`,
        type: "agent",
        attributes: { agent: `a${n}` },
      })),
    ),
  "very many roots": (size) =>
    spansOf(list(size, (n) => ({ id: `s${n}`, parent: null, type: n % 2 === 0 ? "llm" : "tool" }))),
  "one agent started again and again": (size) =>
    spansOf([
      RUN,
      ...list(size / 2, (n) => [
        { id: `a${n}`, parent: "run", type: "agent", attributes: { agent: "again" } },
        {
          id: `l${n}`,
          parent: `a${n}`,
          type: "llm",
          attributes: { prompt_messages: [{ role: "user", content: "hi" }], output_text: `${n}` },
        },
      ]).flat(),
    ]),
  "calls of tools that no span of theirs answers": (size) =>
    spansOf([
      RUN,
      {
        id: "call",
        parent: "run",
        type: "llm",
        attributes: answer(list(size / 2, (n) => toolCall({ n: -n }, `call ${n}`))),
      },
      ...list(size / 2, (n) => ({
        id: `t${n}`,
        parent: "run",
        type: "tool",
        attributes: { tool_call_id: `other ${n}`, input_text: `${n}` },
      })),
    ]),
  "calls of tools that ran deep inside other agents": (size) =>
    spansOf([
      RUN,
      { id: "b", parent: "run", type: "agent", attributes: { agent: "b" } },
      ...chain(size / 3, (n) => ({ type: "agent", attributes: { agent: `a${n}` } }), "run"),
      ...list(size / 3, (n) => ({
        id: `l${n}`,
        parent: "b",
        type: "llm",
        attributes: answer([toolCall({ n: -n })]),
      })),
      ...list(size / 3, (n) => ({ id: `t${n}`, parent: `c${Math.floor(size / 3) - 1}`, type: "tool" })),
    ]),
  "tools that the app ran after an answer with very many calls": (size) =>
    spansOf([
      RUN,
      {
        id: "call",
        parent: "run",
        type: "llm",
        attributes: answer([toolCall({}), ...list(size / 2, (n) => ({ ...toolCall({ n }), name: "other" }))]),
      },
      ...list(size / 2, (n) => ({
        id: `t${n}`,
        parent: "run",
        type: "tool",
        attributes: { tool_call_id: `${n}`, input_text: `${n}` },
      })),
    ]),
  "very many messages that all differ": (size) =>
    spansOf([
      RUN,
      {
        id: "call",
        parent: "run",
        type: "llm",
        attributes: {
          prompt_messages: list(size, (n) => ({
            role: n % 2 === 0 ? "user" : "assistant",
            content: `${n} ${"word ".repeat(20)}`,
          })),
          output_text: "x",
          tokens_input: size * 300,
        },
      },
    ]),
  "very many equal messages": (size) =>
    spansOf([
      RUN,
      ...list(4, (n) => ({
        id: `l${n}`,
        parent: "run",
        type: "llm",
        attributes: {
          prompt_messages: list(size / 4, () => ({ role: "user", content: "same" })),
          output_text: `${n}`,
        },
      })),
    ]),
  "calls that each insert a message": (size) =>
    spansOf([
      RUN,
      ...list(Math.sqrt(size), (n) => ({
        id: `l${n}`,
        parent: "run",
        type: "llm",
        attributes: {
          prompt_messages: list(n + 1, (m) => ({ role: "user", content: `${n - m}` })),
          output_text: `answer ${n}`,
        },
      })),
    ]),
};
