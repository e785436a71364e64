import { beforeAll, expect, it } from "vitest";
import { configure } from "../../src/index.js";
import { CAPTURE_CALLS, spansWithoutTexts, TEXT_KEYS } from "./capture-calls.js";
import { useCaptureServers } from "./capture-servers.js";

beforeAll(() => configure({ service: "switches-test", capturePrompt: false, captureCompletion: false }));
const servers = useCaptureServers();

it.each(Object.entries(CAPTURE_CALLS))(
  "capturePrompt and captureCompletion false leave out every text of %s, and keep its numbers",
  async (_, call) => {
    const spans = await spansWithoutTexts(call, servers());
    const keys = spans.flatMap(({ attributes }) => Object.keys(attributes));
    // A message may stay without its texts.
    expect(keys.filter((key) => TEXT_KEYS.includes(key) && !key.endsWith("_messages"))).toEqual([]);
  },
);
