import { expect, it } from "vitest";
import { recordingSdk, setEnvironment } from "../fresh-sdk.js";

/** The line before the one whose span it tells of. */
const here = (): number =>
  Number(/record-source\.test\.ts:(\d+)/.exec(new Error().stack?.split("\n")[2] ?? "")?.[1]);

it("captureSource says in which file and line a span was made", async () => {
  const { tool, observe, startSpan, takeSpans } = await recordingSdk({ captureSource: true });
  const search = tool("search", () => 1);
  const lines = [here()];
  search();
  lines.push(here());
  observe("block", () => 1);
  lines.push(here());
  startSpan("manual").end();
  const file = expect.stringMatching(/(?:^|\/)test\/capture\/record-source\.test\.ts$/) as string;
  expect(
    takeSpans().map(({ attributes }) => [attributes?.["code.file.path"], attributes?.["code.line.number"]]),
  ).toEqual(lines.map((line) => [file, line + 1]));
});

it("is on only where NODE_ENV is development", async () => {
  for (const [environment, isOn] of [
    ["development", true],
    ["production", false],
    ["test", false],
  ] as const) {
    setEnvironment({ NODE_ENV: environment });
    const { observe, takeSpans } = await recordingSdk();
    observe("block", () => 1);
    expect(Object.hasOwn(takeSpans()[0]?.attributes ?? {}, "code.file.path")).toBe(isOn);
  }
});
