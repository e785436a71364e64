import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { configure } from "../../src/index.js";
import { startReplayServer } from "../replay/replay-server.js";
import { CAPTURE_CALLS, spansWithoutTexts, TEXT_KEYS, type Servers } from "./capture-calls.js";
import { takeAll } from "./taken-spans.js";

let servers: Servers;
beforeAll(async () => {
  configure({ service: "metadata-test", capture: "metadata" });
  servers = { http: await startReplayServer(), http2: await startReplayServer("http2") };
});
afterAll(async () => {
  await servers.http.close();
  await servers.http2.close();
});
beforeEach(() => void takeAll());

it.each(Object.entries(CAPTURE_CALLS))(
  "capture: metadata leaves out every text of %s, and keeps its numbers",
  async (_, call) => {
    const spans = await spansWithoutTexts(call, servers);
    const keys = spans.flatMap(({ attributes }) => Object.keys(attributes));
    expect(keys.filter((key) => TEXT_KEYS.includes(key))).toEqual([]);
  },
);
