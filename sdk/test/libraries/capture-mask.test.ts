import { beforeAll, expect, it } from "vitest";
import { configure } from "../../src/index.js";
import { CAPTURE_CALLS, spansWithoutTexts, TEXT_KEYS } from "./capture-calls.js";
import { useCaptureServers } from "./capture-servers.js";

beforeAll(() => configure({ service: "mask-test", mask: () => "masked" }));
const servers = useCaptureServers();

it.each(Object.entries(CAPTURE_CALLS))(
  "mask replaces every text of %s, and keeps its numbers",
  async (_, call) => {
    const spans = await spansWithoutTexts(call, servers());
    const texts = spans.flatMap(({ attributes }) => TEXT_KEYS.flatMap((key) => attributes[key] ?? []));
    expect(JSON.stringify(texts)).toContain("masked");
    for (const text of texts) if (typeof text === "string") expect(text).toBe("masked");
  },
);
