/**
 * The traces that the disk benchmark stores: ten spans each, as `span-batches.mjs` makes them, in forty variants that differ in
 * what traces are filtered by. Two traces of a variant differ in their ids, times and texts, which are overwritten in place. The
 * texts are words in random order: a text that repeats would compress better than what people write.
 */
import { createPipelineSpan } from "../../collector-core/dist/span/pipeline-span.js";
import { readSpanFacts } from "../../collector-core/dist/span/span-facts.js";
import { DEFAULT_TEXT_LENGTH, makeSpan } from "./span-batches.mjs";

export const SPANS_PER_TRACE = 10;
const VARIANTS = 40;
const ID = "########";
const TIME = "T05:57:";
const MINUTES_PER_DAY = 1440;
/** Stands where a text goes. */
const TEXT = "~";
const ALL_TEXTS = randomText(2 ** 20);
/** Words of the text by how often they occur: in one trace of a thousand, and in all traces of an eighth of the file. */
export const WORDS = { ofAThousand: "Annapurna", ofAnEighth: "Kilimanjaro" };
/** The values of an attribute: one in eight traces has the first, and others the rest. */
const TIERS = ["gold", "silver", "bronze", "free", "trial", "partner", "school", "staff"];

const decisions = { isSampled: () => true, countsUsage: () => true };

/** Makes traces by number. */
export class TraceMaker {
  #variants = new Map();
  #total;

  /** @param {number} total - traces that are made; their starts are spread over a day. */
  constructor(total) {
    this.#total = total;
  }

  #body(number) {
    const { body, ids, times, texts } = this.#template(number);
    const id = number.toString(16).padStart(ID.length, "0");
    for (const at of ids) body.write(id, at, "latin1");
    const minute = Math.floor((number / this.#total) * MINUTES_PER_DAY) % MINUTES_PER_DAY;
    const clock = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0"));
    for (const at of times) body.write(clock.join(":"), at + 1, "latin1");
    for (const [index, { start, length }] of texts.entries()) {
      const from = ((number * 31 + index) * 7919) % (ALL_TEXTS.length - length);
      ALL_TEXTS.copy(body, start, from, from + length);
    }
    return Buffer.from(body);
  }

  /**
   * @param {number} number
   * @returns the body of a batch with that trace, and its spans as they leave the pipeline.
   */
  make(number) {
    const body = this.#body(number);
    const { service, env, spans } = JSON.parse(body.toString());
    const context = { tenant: "", service, env, version: undefined, receivedAtMs: Date.now() };
    const batch = { body, spanCount: spans.length };
    return {
      body,
      spans: spans.map((span, index) => {
        const facts = readSpanFacts(span, context, undefined, () => undefined);
        return createPipelineSpan({ span, facts, context, batch, index }, decisions);
      }),
    };
  }

  #template(number) {
    const variant = number % VARIANTS;
    const word = this.#wordOf(number);
    const key = `${variant} ${word}`;
    let template = this.#variants.get(key);
    if (template === undefined) {
      template = makeTemplate(variant, word);
      this.#variants.set(key, template);
    }
    return template;
  }

  #wordOf(number) {
    if (number % 1000 === 500) return WORDS.ofAThousand;
    return Math.floor((number * 8) / this.#total) === 2 ? WORDS.ofAnEighth : "";
  }
}

function makeTemplate(variant, word) {
  /** What an app adds to the attributes that are known. */
  const own = {
    agent: `agent-${variant % 12}`,
    "customer.tier": TIERS[variant % TIERS.length],
    "order.id": `order-${ID}`,
    ...(word === WORDS.ofAThousand && { campaign: "everest" }),
  };
  const textStart = `${word} ${TEXT.repeat(DEFAULT_TEXT_LENGTH)}`.trimStart();
  const spans = Array.from({ length: SPANS_PER_TRACE }, (_, index) => {
    const span = makeSpan(index, DEFAULT_TEXT_LENGTH, textStart);
    return {
      ...span,
      duration_ms: span.duration_ms * (1 + variant / 10),
      attributes: { ...span.attributes, agent: `agent-${variant % 12}` },
      ...(index === 0 && variant % 20 === 0 && { status: "ERROR" }),
      ...(index === 0 && { attributes: { ...span.attributes, ...own } }),
    };
  });
  const env = variant % 4 === 0 ? "staging" : "production";
  const body = Buffer.from(JSON.stringify({ service: `service-${variant % 5}`, env, spans }));
  const texts = [...body.toString("latin1").matchAll(new RegExp(`${TEXT}+`, "g"))];
  return {
    body,
    ids: positions(body, ID),
    times: positions(body, TIME),
    texts: texts.map(({ index, 0: { length } }) => ({ start: index, length })),
  };
}

function positions(body, text) {
  const found = [];
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) found.push(at);
  return found;
}

/** Words of a vocabulary of 4,000 in random order, the same in each run. */
function randomText(length) {
  let state = 1;
  const below = (limit) => (state = (state * 48_271) % 0x7fffffff) % limit;
  const word = () => Array.from({ length: 2 + below(8) }, () => String.fromCharCode(97 + below(26))).join("");
  const vocabulary = Array.from({ length: 4000 }, word);
  let text = "";
  // Some words are much more common than others.
  while (text.length < length) text += `${vocabulary[below(1 + below(vocabulary.length))]} `;
  return Buffer.from(text, "latin1");
}
