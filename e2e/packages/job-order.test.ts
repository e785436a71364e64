import { expect, it } from "vitest";

const module = new URL("../../scripts/jobs.mjs", import.meta.url);
interface Job {
  readonly name: string;
  readonly seconds?: number;
  readonly after?: readonly string[];
  run(): Promise<boolean>;
}
const { runJobs } = (await import(module.href)) as {
  runJobs(jobs: readonly Job[], options: { concurrency: number; quiet: boolean }): Promise<unknown>;
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
