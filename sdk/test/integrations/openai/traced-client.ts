import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type OpenAI from "openai";
import type { ClientOptions } from "openai";
import { configure, takeSpans } from "../../../src/index.js";
import { wrapOpenAI, type WrapOpenAIOptions } from "../../../src/integrations/openai/index.js";
import type { Span } from "../../../src/wire/index.js";
import type { Exchange } from "../../replay/exchange.js";
import { startReplayServer, type Delivery, type ReplayServer } from "../../replay/replay-server.js";
import { clientOf } from "./replay-client.js";

/** Shared by the tests of a file: a configured SDK, and a provider with prepared responses. */
export interface TracedClients {
  readonly server: () => ReplayServer;
  /** A wrapped client whose next request gets the response of the exchange. */
  readonly ready: (exchange: Exchange, options?: ReadyOptions) => OpenAI;
}

/** How the client is created, and how its response is delivered. */
export interface ReadyOptions extends Delivery {
  readonly client?: ClientOptions;
  readonly wrap?: WrapOpenAIOptions;
}

/** Sets up a test file for recorded calls. */
export function tracedClients(): TracedClients {
  let server: ReplayServer;
  beforeAll(async () => {
    configure({ service: "openai-test", evaluationEnabled: true });
    server = await startReplayServer();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.reset();
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

/** The only span since the last call. */
export function onlySpan(): Span & { attributes: NonNullable<Span["attributes"]> } {
  const spans = takeSpans();
  expect(spans.map(({ name }) => name)).toHaveLength(1);
  const [span] = spans;
  return { ...(span as Span), attributes: span?.attributes ?? {} };
}
