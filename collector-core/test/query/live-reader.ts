import { get as httpGet, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";

/** An event as it was sent. */
interface SentEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** Reads /v1/live as a browser does. */
export async function listen(
  url: string,
  lastEventId?: string,
  more: Record<string, string> = {},
  query: Record<string, string> = {},
) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = lastEventId === undefined ? more : { ...more, "Last-Event-ID": lastEventId };
    const search = new URLSearchParams(query).toString();
    httpGet(`${url}/v1/live${search && `?${search}`}`, { headers }, resolve).on("error", reject);
  });
  onTestFinished(() => void response.destroy());
  const events: SentEvent[] = [];
  const wakers: (() => void)[] = [];
  let text = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      events.push({
        event: field("event") ?? "",
        id: field("id"),
        data: JSON.parse(field("data") ?? "null"),
      });
    }
    for (const wake of wakers.splice(0)) wake();
  });
  return {
    response,
    events,
    /** The first event of a kind that is as asked, now or when it comes; not one of the first `after`. */
    async next<T>(
      event: string,
      isWanted: (data: T) => boolean = () => true,
      after = 0,
    ): Promise<SentEvent & { data: T }> {
      for (;;) {
        const found = events.slice(after).find((each) => each.event === event && isWanted(each.data as T));
        if (found !== undefined) return found as SentEvent & { data: T };
        await new Promise<void>((resolve) => wakers.push(resolve));
      }
    },
  };
}
