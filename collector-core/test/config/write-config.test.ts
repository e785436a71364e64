import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { LoadedConfig } from "../../src/config/load-config.js";
import { createConfigWriter } from "../../src/config/write-config.js";
import { RequestAborted } from "../../src/runtime/request-aborted.js";
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

/** A writer of a file, and the file. */
function openWriter(onRead: () => void) {
  const directory = mkdtempSync(join(tmpdir(), "obspan-write-config-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "obspan.yaml");
  writeFileSync(file, "sampling:\n  rate: 0.5\n");
  const loaded = load({ yaml: readFileSync(file, "utf8") });
  const config: LoadedConfig = {
    ...loaded,
    config: { ...loaded.config, config_file: file },
    recheck(content) {
      onRead();
      return loaded.recheck(content);
    },
  };
  return { writer: createConfigWriter(config), file };
}

it("reads the file once in a turn of the event loop, however many checks and writes wait", async () => {
  const turn = countTurns();
  const readInTurns: number[] = [];
  const { writer, file } = openWriter(() => readInTurns.push(turn()));
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

it("makes no check whose client has left before its turn", async () => {
  let reads = 0;
  const { writer } = openWriter(() => reads++);
  const client = new AbortController();
  const first = writer.check({ "sampling.rate": 0.1 });
  const left = Array.from({ length: 5 }, () => writer.check({ "sampling.rate": 0.2 }, client.signal));
  const last = writer.check({ "sampling.rate": 0.3 });
  client.abort(new RequestAborted());
  for (const result of await Promise.allSettled(left))
    expect(result).toMatchObject({ reason: expect.any(RequestAborted) as RequestAborted });
  expect((await first).after).toContain("rate: 0.1");
  expect((await last).after).toContain("rate: 0.3");
  expect(reads).toBe(4);
});
