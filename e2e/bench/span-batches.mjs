/**
 * The bodies that the benchmark sends: batches of spans as an agent makes them, ten spans a trace (its root, model
 * calls and tool calls), each with eight attributes.
 *
 * A body is built once. Before every request the same eight characters of all its ids are overwritten in place with
 * the number of the request, so that every request brings new traces, and making it costs next to nothing.
 */

const SPANS_PER_TRACE = 10;
/** After so many spans of a trace their content repeats. */
const CONTENTS = 10;
/** Stands in every id where the number of the request goes. */
const STAMP = "########";
const HEX = Buffer.from("0123456789abcdef");

const MODELS = ["gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash"];
const PROVIDERS = ["openai", "anthropic", "google"];
const TOOLS = ["search", "lookup", "weather", "ticket"];
const WORDS =
  "the order was shipped on Monday and should be with you by the end of the week; you can follow it here, " +
  "and if it has not come by then write to us again and we will look into it at once, free of any charge. ";

/** A body that can be made new in place. */
export class SpanBatch {
  /** @type {Buffer} */
  body;
  /** @type {number[]} */
  #stampsAt = [];

  /**
   * @param {number} spanCount
   * @param {number} textLength - characters of text in each span.
   * @param {string} [textStart] - what it begins with.
   * @param {number} [spansPerTrace]
   */
  constructor(spanCount, textLength, textStart, spansPerTrace) {
    const spans = Array.from({ length: spanCount }, (_, index) =>
      makeSpan(index, textLength, textStart, spansPerTrace),
    );
    this.body = Buffer.from(JSON.stringify({ service: "shop", env: "production", spans }));
    for (let at = this.body.indexOf(STAMP); at >= 0; at = this.body.indexOf(STAMP, at + STAMP.length)) {
      this.#stampsAt.push(at);
    }
  }

  /**
   * Makes all ids new.
   *
   * @param {number} number - of the request, below 2^32.
   */
  stamp(number) {
    const { body } = this;
    for (const at of this.#stampsAt) {
      for (let digit = 0, rest = number; digit < STAMP.length; digit++, rest >>>= 4) {
        body[at + digit] = HEX[rest & 15];
      }
    }
  }
}

/** Characters of text that make a span of about 480 bytes: 10 are 4.8 KB, 100 are 48 KB. */
export const DEFAULT_TEXT_LENGTH = 90;

/**
 * @param {number} index - within the batch.
 * @param {number} textLength
 * @param {string} [textStart]
 * @param {number} [spansPerTrace]
 */
export function makeSpan(index, textLength, textStart = "", spansPerTrace = SPANS_PER_TRACE) {
  const trace = Math.floor(index / spansPerTrace);
  const placeInTrace = index % spansPerTrace;
  // The root is the only span without a parent: place 0 of a repeated content is a tool call.
  const place = placeInTrace % CONTENTS || (placeInTrace === 0 ? 0 : CONTENTS - 1);
  const words = WORDS.repeat(Math.ceil((textLength + 10) / WORDS.length)).slice(place);
  const text = (textStart + words).slice(0, textLength);
  const ids = {
    trace_id: STAMP + String(trace).padStart(24, "5"),
    span_id: STAMP + String(placeInTrace).padStart(8, "0"),
    parent_span_id: STAMP + "00000000",
  };
  const time = { start_time: `2026-11-21T05:57:5${place}.123Z`, duration_ms: 100 + place * 61.5 };
  if (place === 0) return { ...ids, parent_span_id: undefined, ...rootSpan(text), ...time };
  return { ...ids, ...(place % 3 === 0 ? toolSpan(place, text) : modelSpan(place, text)), ...time };
}

/** @param {string} text */
function rootSpan(text) {
  const [input, output] = halves(text);
  return {
    name: "answer customer",
    span_type: "agent",
    attributes: {
      agent: "support",
      session_id: "session-4711",
      user_id: "user-0815",
      stream: false,
      "shop.region": "eu-west",
      "shop.channel": "chat",
      input_text: input,
      output_text: output,
    },
  };
}

/**
 * @param {number} place
 * @param {string} text
 */
function modelSpan(place, text) {
  const [prompt, completion] = halves(text);
  return {
    name: "chat",
    span_type: "llm",
    attributes: {
      model: MODELS[place % MODELS.length],
      provider: PROVIDERS[place % PROVIDERS.length],
      tokens_input: 120 + place,
      tokens_output: 34 + place,
      cost_usd: 0.00042,
      agent: "support",
      prompt_text: prompt,
      completion_text: completion,
    },
  };
}

/**
 * @param {number} place
 * @param {string} text
 */
function toolSpan(place, text) {
  const [input, output] = halves(text);
  const failed = place === 9;
  return {
    name: "tool",
    span_type: "tool",
    status: failed ? "ERROR" : "OK",
    attributes: {
      tool_name: TOOLS[place % TOOLS.length],
      agent: "support",
      input_text: input,
      output_text: output,
      ...(failed ? { error_type: "TimeoutError" } : { "tool.cached": true }),
      "tool.attempt": 1,
      "tool.source": "warehouse",
      "tool.rows": 17,
    },
  };
}

/** @param {string} text */
function halves(text) {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
