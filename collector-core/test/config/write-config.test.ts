import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { LoadedConfig } from "../../src/config/load-config.js";
import { createConfigWriter } from "../../src/config/write-config.js";
import { load } from "./loading.js";

/** Counts the turns of the event loop until the test has finished. */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  const onTurn = (): void => {
    turns++;
    if (!isOver) setImmediate(onTurn);
  };
  setImmediate(onTurn);
  return () => turns;
}

it("reads the file once in a turn of the event loop, however many checks and writes wait", async () => {
  const directory = mkdtempSync(join(tmpdir(), "obspan-write-config-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "obspan.yaml");
  writeFileSync(file, "sampling:\n  rate: 0.5\n");
  const loaded = load({ yaml: readFileSync(file, "utf8") });
  const turn = countTurns();
  const readInTurns: number[] = [];
  const config: LoadedConfig = {
    ...loaded,
    config: { ...loaded.config, config_file: file },
    recheck(content) {
      readInTurns.push(turn());
      return loaded.recheck(content);
    },
  };
  const writer = createConfigWriter(config);
  await Promise.all(
    [0.1, 0.2, 0.3, 0.4].flatMap((rate) => [
      writer.check({ "sampling.rate": rate }),
      writer.write({ "sampling.rate": rate }),
    ]),
  );
  expect(readInTurns.length).toBeGreaterThan(15);
  expect(new Set(readInTurns).size).toBe(readInTurns.length);
  expect(readFileSync(file, "utf8")).toContain("rate: 0.4");
});
