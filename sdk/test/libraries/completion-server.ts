import { createServer, type ServerResponse } from "node:http";

/** What the server answers to one request. */
export type Answer =
  | { readonly text: string; readonly breakOff?: "reset" | "error-event"; readonly hold?: Promise<unknown> }
  | { readonly tools: readonly (readonly [id: string, name: string, args: unknown])[] }
  | { readonly vectors: number }
  | { readonly status: number; readonly message: string };

/** A server that speaks OpenAI's chat completions and embeddings over real HTTP. */
export interface ChatServer {
  /** The address for a client: `http://127.0.0.1:…/v1`. */
  readonly url: string;
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  /** Prepares the answers of the next requests, in order. */
  readonly answerWith: (...answers: readonly Answer[]) => void;
  readonly close: () => Promise<void>;
}

/** What every answer reports: 4 of 12 input tokens cached, 2 of 5 output tokens for reasoning. */
const USAGE = {
  prompt_tokens: 12,
  completion_tokens: 5,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

/** The attributes that a span of such an answer has. */
export const SPAN_TOKENS = { tokens_input: 12, tokens_output: 5, tokens_cached: 4, tokens_reasoning: 2 };

/** Starts the server on a free port of 127.0.0.1. */
export async function startChatServer(): Promise<ChatServer> {
  const requests: Readonly<Record<string, unknown>>[] = [];
  let answers: readonly Answer[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let text = "";
      for await (const piece of request) text += String(piece);
      const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
      requests.push(body);
      const [answer, ...later] = answers;
      answers = later;
      if (answer === undefined) respond(response, 400, { error: { message: "No answer is prepared." } });
      else if ("status" in answer)
        respond(response, answer.status, { error: { message: answer.message, type: "test" } });
      else if ("vectors" in answer) respond(response, 200, embeddings(answer.vectors));
      else if (body["stream"] === true) await stream(response, answer);
      else respond(response, 200, completion(answer));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    answerWith: (...next) => void (answers = next),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "retry-after-ms": "1" });
  response.end(JSON.stringify(body));
}

function embeddings(count: number): unknown {
  const data = Array.from({ length: count }, (_, index) => ({
    object: "embedding",
    index,
    embedding: [1, 2],
  }));
  return { object: "list", model: "embed-1", data, usage: { prompt_tokens: 7, total_tokens: 7 } };
}

type Reply = Exclude<Answer, { status: number } | { vectors: number }>;

function messageOf(answer: Reply): Record<string, unknown> {
  if ("text" in answer) return { role: "assistant", content: answer.text };
  const calls = answer.tools.map(([id, name, args], index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content: null, tool_calls: calls };
}

const finishReason = (answer: Reply): string => ("text" in answer ? "stop" : "tool_calls");

function completion(answer: Reply): unknown {
  const choice = { index: 0, message: messageOf(answer), finish_reason: finishReason(answer) };
  return {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "chat-1",
    choices: [choice],
    usage: USAGE,
  };
}

async function stream(response: ServerResponse, answer: Reply): Promise<void> {
  const send = (choices: unknown, usage?: unknown): void => {
    const chunk = { id: "c1", object: "chat.completion.chunk", created: 1, model: "chat-1", choices, usage };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const delta = (part: unknown, reason: string | null = null): void =>
    send([{ index: 0, delta: part, finish_reason: reason }]);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if ("text" in answer) {
    const [first = "", ...rest] = answer.text.split(/(?<= )/);
    delta({ role: "assistant", content: first });
    await answer.hold;
    if (answer.breakOff === "reset") {
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.socket?.resetAndDestroy();
      return;
    }
    if (answer.breakOff === "error-event") {
      response.end(`data: ${JSON.stringify({ error: { message: "Overloaded", type: "server_error" } })}\n\n`);
      return;
    }
    for (const piece of rest) delta({ content: piece });
  } else delta(messageOf(answer));
  delta({}, finishReason(answer));
  send([], USAGE);
  response.end("data: [DONE]\n\n");
}
