import type { IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { byteSizeText } from "../../api-schema/byte-size.js";
import type { LiveEvent } from "../../api-schema/live.js";
import { CommandFailure } from "../command-failure.js";

/** Longest event that is read. */
const MAX_EVENT_BYTES = 16 * 2 ** 20;

/** An event of the live feed, with the position to resume from. */
export interface ReceivedEvent {
  readonly event: LiveEvent;
  readonly id: string | undefined;
}

/**
 * Reads the events of a response. It ends with the response, and fails if that is cut off.
 *
 * @throws CommandFailure if an event is too long, or is not JSON.
 */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<ReceivedEvent> {
  let received: ReceivedEvent[] = [];
  const parser = createParser({
    // It counts characters: none has less than a byte.
    maxBufferSize: MAX_EVENT_BYTES,
    onEvent: ({ event, data, id }) => {
      if (event !== undefined) received.push({ event: { type: event, data: parsed(data) } as LiveEvent, id });
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded")
        throw new CommandFailure(
          `The live feed has an event of more than ${byteSizeText(MAX_EVENT_BYTES)}: is it a collector?`,
        );
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

/** Connecting again would bring the same: the command ends. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new CommandFailure("The live feed has an event that is not JSON: is it a collector?");
  }
}
