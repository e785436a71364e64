import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { configure } from "../../src/index.js";
import { startReplayServer } from "../replay/replay-server.js";
import { CAPTURE_CALLS, spansWithoutTexts, TEXT_KEYS, type Servers } from "./capture-calls.js";
import { takeAll } from "./taken-spans.js";

let servers: Servers;
beforeAll(async () => {
  configure({ service: "mask-test", mask: () => "masked" });
  servers = { http: await startReplayServer(), http2: await startReplayServer("http2") };
});
afterAll(async () => {
  await servers.http.close();
  await servers.http2.close();
});
beforeEach(() => void takeAll());

it.each(Object.entries(CAPTURE_CALLS))(
  "mask replaces every text of %s, and keeps its numbers",
  async (_, call) => {
    const spans = await spansWithoutTexts(call, servers);
    const texts = spans.flatMap(({ attributes }) => TEXT_KEYS.flatMap((key) => attributes[key] ?? []));
    expect(JSON.stringify(texts)).toContain("masked");
    for (const text of texts) if (typeof text === "string") expect(text).toBe("masked");
  },
);
