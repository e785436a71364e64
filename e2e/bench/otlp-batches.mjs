/**
 * The spans of {@link module:span-batches} as OTLP/HTTP in protobuf, with the names of OpenTelemetry's conventions, as an
 * instrumented agent sends them.
 */
import { bytes, double, fixed64, integer, message, text } from "./protobuf-writer.mjs";
import { makeSpan } from "./span-batches.mjs";

/** The place of the request number in every id. */
const STAMP = Buffer.from([0xf5, 0xf6, 0xf7, 0xf8]);
const START_NANOSECONDS = 1_795_240_676_123_456_789n;

const OPERATIONS = { llm: "chat", tool: "execute_tool", agent: "invoke_agent" };
/** Obspan's attributes by their names in the conventions. */
const NAMES = {
  model: "gen_ai.request.model",
  provider: "gen_ai.provider.name",
  tokens_input: "gen_ai.usage.input_tokens",
  tokens_output: "gen_ai.usage.output_tokens",
  cost_usd: "gen_ai.usage.cost",
  agent: "gen_ai.agent.name",
  tool_name: "gen_ai.tool.name",
  session_id: "gen_ai.conversation.id",
  user_id: "user.id",
  error_type: "error.type",
  prompt_text: "gen_ai.input.messages",
  completion_text: "gen_ai.output.messages",
  input_text: "gen_ai.tool.call.arguments",
  output_text: "gen_ai.tool.call.result",
};

/** A body whose ids can be changed in place. */
export class OtlpBatch {
  /** @type {Buffer} */
  body;
  /** @type {number[]} */
  #stampsAt = [];

  /**
   * @param {number} spanCount
   * @param {number} textLength - characters of text in each span.
   * @param {string} [textStart] - what the text begins with.
   * @param {number} [spansPerTrace]
   */
  constructor(spanCount, textLength, textStart, spansPerTrace = 10) {
    const spans = Array.from({ length: spanCount }, (_, index) =>
      message(
        2,
        ...spanFields(makeSpan(index, textLength, textStart, spansPerTrace), {
          trace: Math.floor(index / spansPerTrace),
          place: index % spansPerTrace,
        }),
      ),
    );
    const scope = message(1, text(1, "@opentelemetry/instrumentation-openai"), text(2, "0.9.0"));
    const resource = message(1, ...attributes(1, { "service.name": "shop", "service.version": "1.4.2" }));
    this.body = message(1, resource, message(2, scope, ...spans));
    for (let at = this.body.indexOf(STAMP); at >= 0; at = this.body.indexOf(STAMP, at + STAMP.length)) {
      this.#stampsAt.push(at);
    }
  }

  /**
   * Changes all ids.
   *
   * @param {number} number - of the request, below 2^32.
   */
  stamp(number) {
    for (const at of this.#stampsAt) this.body.writeUInt32BE(number >>> 0, at);
  }
}

/**
 * The fields of a span, by the numbers of the protocol.
 *
 * @param {ReturnType<typeof makeSpan>} span
 * @param {{ trace: number, place: number }} position - of the trace in the batch, and of the span in its trace.
 */
function spanFields(span, { trace, place }) {
  const traceId = Buffer.concat([STAMP, Buffer.alloc(12, 0x55)]);
  traceId.writeUInt32BE(trace, 12);
  const start = START_NANOSECONDS + BigInt(place) * 1_000_000_000n;
  return [
    bytes(1, traceId),
    bytes(2, spanId(place)),
    ...(place === 0 ? [] : [bytes(4, spanId(0))]),
    text(5, span.name),
    integer(6, span.span_type === "llm" ? 3 : 1),
    fixed64(7, start),
    fixed64(8, start + BigInt(Math.round(span.duration_ms * 1e6))),
    ...attributes(9, { "gen_ai.operation.name": OPERATIONS[span.span_type], ...renamed(span.attributes) }),
    message(15, ...(span.status === "ERROR" ? [integer(3, 2)] : [])),
  ];
}

/** @param {number} place */
function spanId(place) {
  const id = Buffer.concat([STAMP, Buffer.alloc(4)]);
  id.writeUInt32BE(place + 1, 4);
  return id;
}

/** @param {Record<string, unknown>} attributes */
function renamed(attributes) {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => {
      const name = NAMES[key] ?? key;
      const role = name === "gen_ai.input.messages" ? "user" : "assistant";
      return [name, name.endsWith(".messages") ? asMessages(role, value) : value];
    }),
  );
}

function asMessages(role, content) {
  return JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
}

/** A KeyValue for each attribute. */
function attributes(field, values) {
  return Object.entries(values).map(([key, value]) =>
    message(field, text(1, key), message(2, anyValue(value))),
  );
}

function anyValue(value) {
  if (typeof value === "boolean") return integer(2, Number(value));
  if (typeof value !== "number") return text(1, String(value));
  return Number.isInteger(value) ? integer(3, value) : double(4, value);
}
