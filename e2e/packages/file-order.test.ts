import { expect, it } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { startWith } from "../../scripts/file-order.mjs";

const PACKAGES = import.meta.dirname;

/** What the order of files needs of vitest: nothing is known of earlier runs. */
const vitest = {
  config: { root: PACKAGES },
  cache: { getFileTestResults: () => undefined, getFileStats: () => undefined },
} as unknown as Vitest;

const fileNamed = (name: string): TestSpecification =>
  ({
    moduleId: `${PACKAGES}/${name}`,
    project: { name: "", config: { root: PACKAGES, isolate: false, sequence: { groupOrder: 0 } } },
  }) as unknown as TestSpecification;

it("the files that are named start first, in that order, and then the others", async () => {
  const Sequencer = startWith(PACKAGES, ["storage-thread.test.ts", "file-order.test.ts"]);
  const names = ["job-order.test.ts", "file-order.test.ts", "storage-thread.test.ts"];
  const sorted = await new Sequencer(vitest).sort(names.map(fileNamed));
  expect(sorted.map(({ moduleId }) => moduleId.slice(PACKAGES.length + 1))).toEqual([
    "storage-thread.test.ts",
    "file-order.test.ts",
    "job-order.test.ts",
  ]);
});

it("a file that is not there is named", () => {
  expect(() => startWith(PACKAGES, ["gone.test.ts"])).toThrow("are not in");
});
