import type { Exchange } from "./exchange.js";

/** An exchange that a test writes itself, because there is no recording of it. */
export interface WrittenExchange {
  /** Default: `chat.completions`. */
  readonly api?: string;
  /** Default: the path of the API at OpenAI. */
  readonly path?: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** Default: 200. */
  readonly status?: number;
  /** The JSON response. */
  readonly body?: unknown;
  /** The chunks of a stream, instead of a body. `[DONE]` is added for APIs whose streams end with it. */
  readonly chunks?: readonly unknown[];
}

const PATHS: Readonly<Record<string, string>> = {
  "chat.completions": "/v1/chat/completions",
  responses: "/v1/responses",
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
  messages: "/v1/messages",
};

/** APIs whose streams end with an event of their own. */
const WITHOUT_DONE = ["responses", "messages", "generateContent"];

/** Converts an exchange of a test to the shape of a recorded one. */
export function writtenExchange(written: WrittenExchange): Exchange {
  const { api = "chat.completions", request, chunks, status = 200, body = null } = written;
  return {
    id: "written",
    provider: "openai",
    api,
    request: { method: "POST", path: written.path ?? PATHS[api] ?? "/", body: request },
    response: {
      status,
      headers: { "content-type": chunks === undefined ? "application/json" : "text/event-stream" },
      body,
      sse: chunks === undefined ? null : toEvents(chunks, api),
    },
    expect: {
      model: null,
      request_model: null,
      provider: "openai",
      tokens_input: null,
      tokens_output: null,
      tokens_cached: null,
      tokens_reasoning: null,
      tokens_cache_write: null,
      stream: chunks !== undefined,
      tool_calls: 0,
      error: status >= 400,
    },
  };
}

function toEvents(chunks: readonly unknown[], api: string): string {
  const events = chunks.map((chunk) => {
    // Anthropic's client reads the name of the event.
    const name = api === "messages" ? `event: ${(chunk as { type: string }).type}\n` : "";
    return `${name}data: ${JSON.stringify(chunk)}\n\n`;
  });
  return events.join("") + (WITHOUT_DONE.includes(api) ? "" : "data: [DONE]\n\n");
}

/** A chunk of a chat stream, with a piece of one choice. */
export function chatChunk(delta: unknown, finishReason: string | null = null, index = 0): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "gpt-5-mini-2025-08-07",
    choices: [{ index, delta, finish_reason: finishReason, logprobs: null }],
  };
}

/** The last chunk of a stream with token counts. */
export const USAGE_CHUNK = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "gpt-5-mini-2025-08-07",
  choices: [],
  usage: {
    prompt_tokens: 12,
    completion_tokens: 5,
    total_tokens: 17,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  },
};
