import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type OpenAI from "openai";
import type { ClientOptions } from "openai";
import { configure, takeSpans } from "../../../src/index.js";
import { wrapOpenAI, type WrapOpenAIOptions } from "../../../src/integrations/openai/index.js";
import type { Span } from "../../../src/wire/index.js";
import type { Exchange } from "../../replay/exchange.js";
import { startReplayServer, type Delivery, type ReplayServer } from "../../replay/replay-server.js";
import { clientOf } from "./replay-client.js";

/** What the tests of one file share: a configured SDK, and a provider that answers as it is told. */
export interface TracedClients {
  readonly server: () => ReplayServer;
  /** A traced client whose next request is answered with the exchange. */
  readonly ready: (exchange: Exchange, options?: ReadyOptions) => OpenAI;
}

/** How the client is made, and how it is answered. */
export interface ReadyOptions extends Delivery {
  readonly client?: ClientOptions;
  readonly wrap?: WrapOpenAIOptions;
}

/** Sets a test file up for traced calls. */
export function tracedClients(): TracedClients {
  let server: ReplayServer;
  beforeAll(async () => {
    configure({ service: "openai-test", evaluationEnabled: true });
    server = await startReplayServer();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.forget();
    takeSpans();
  });
  return {
    server: () => server,
    ready(exchange, { client, wrap, ...delivery } = {}) {
      server.expect(exchange, delivery);
      return wrapOpenAI(clientOf(exchange, server.url, client), wrap);
    },
  };
}

/** The one span that there is since the last look. */
export function onlySpan(): Span & { attributes: NonNullable<Span["attributes"]> } {
  const spans = takeSpans();
  expect(spans.map(({ name }) => name)).toHaveLength(1);
  const [span] = spans;
  return { ...(span as Span), attributes: span?.attributes ?? {} };
}
