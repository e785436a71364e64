import { beforeAll, expect, it } from "vitest";
import { configure } from "../../src/index.js";
import { CAPTURE_CALLS, spansWithoutTexts, TEXT_KEYS } from "./capture-calls.js";
import { useCaptureServers } from "./capture-servers.js";

beforeAll(() => configure({ service: "metadata-test", capture: "metadata" }));
const servers = useCaptureServers();

it.each(Object.entries(CAPTURE_CALLS))(
  "capture: metadata leaves out every text of %s, and keeps its numbers",
  async (_, call) => {
    const spans = await spansWithoutTexts(call, servers());
    const keys = spans.flatMap(({ attributes }) => Object.keys(attributes));
    expect(keys.filter((key) => TEXT_KEYS.includes(key))).toEqual([]);
  },
);
