import type { IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import type { LiveEvent } from "../../api-schema/live.js";

/** An event of the live feed, with the position to resume from. */
export interface ReceivedEvent {
  readonly event: LiveEvent;
  readonly id: string | undefined;
}

/** Reads the events of a response. It ends with the response, and fails if that is cut off. */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<ReceivedEvent> {
  let received: ReceivedEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data, id }) => {
      if (event !== undefined)
        received.push({ event: { type: event, data: JSON.parse(data) as unknown } as LiveEvent, id });
    },
  });
  response.setEncoding("utf8");
  for await (const text of response as AsyncIterable<string>) {
    parser.feed(text);
    const events = received;
    received = [];
    yield* events;
  }
}
