import { getPriority } from "node:os";
import { expect, it } from "vitest";

const module = new URL("../../scripts/jobs.mjs", import.meta.url);
interface Job {
  readonly name: string;
  readonly seconds?: number;
  readonly after?: readonly string[];
  readonly isBackground?: boolean;
  run(output: { readonly isBackground?: boolean }): Promise<boolean>;
}
const { runJobs, runNode } = (await import(module.href)) as {
  runJobs(jobs: readonly Job[], options: { concurrency: number; quiet: boolean }): Promise<unknown>;
  runNode(
    args: readonly string[],
    output: { write(text: string): void; readonly isBackground?: boolean },
  ): Promise<boolean>;
};

it("the job goes first from which the longest way leads to the end", async () => {
  const started: string[] = [];
  const job = (name: string, seconds: number, after: readonly string[] = []): Job => ({
    name,
    seconds,
    after,
    run: () => Promise.resolve(started.push(name) > 0),
  });
  await runJobs(
    [job("short", 1), job("long", 40), job("build", 5), job("tests of the build", 100, ["build"])],
    { concurrency: 1, quiet: true },
  );
  expect(started).toEqual(["build", "tests of the build", "long", "short"]);
});

it("one job in the background runs beside the others, and more where they leave a place", async () => {
  const running = new Set<string>();
  const seen: string[] = [];
  const ends = new Map<string, () => void>();
  const job = (name: string, seconds: number, isBackground = false): Job => ({
    name,
    seconds,
    isBackground,
    async run() {
      running.add(name);
      seen.push([...running].join(" "));
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return running.delete(name);
    },
  });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const done = runJobs(
    [job("lint", 90, true), job("types", 80, true), job("unit", 40), job("SDK", 30), job("desktop", 20)],
    { concurrency: 2, quiet: true },
  );
  for (const name of ["unit", "SDK", "lint", "desktop", "types"]) await end(name);
  await done;
  expect(seen).toEqual(["unit", "unit SDK", "unit SDK lint", "SDK lint desktop", "lint desktop types"]);
});

it.skipIf(process.platform === "win32")(
  "a job in the background and its children have a low priority",
  async () => {
    const program = `
    const { spawnSync } = require("node:child_process");
    const child = ["--print", "os.getPriority()"];
    console.log(os.getPriority(), Number(spawnSync(process.execPath, child, { encoding: "utf8" }).stdout));
  `;
    const printed: string[] = [];
    const write = (text: string): unknown => printed.push(text.trim());
    for (const isBackground of [false, true])
      expect(await runNode(["--eval", program], { write, isBackground })).toBe(true);
    const own = getPriority();
    const low = Math.min(own + 10, 19);
    expect(printed).toEqual([`${own} ${own}`, `${low} ${low}`]);
  },
);
