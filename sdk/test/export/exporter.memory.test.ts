import { expect, it } from "vitest";
import { closedPort } from "./receiver.js";
import { runApp } from "./run-app.js";

it("memory does not grow while the collector is unreachable", async () => {
  const { output } = await runApp(
    `(await import("node:v8")).setFlagsFromString("--expose-gc");
     const collectGarbage = (await import("node:vm")).runInNewContext("gc");
     const text = "x".repeat(1000);
     const used = async () => { await new Promise((resolve) => setTimeout(resolve, 20)); collectGarbage(); return process.memoryUsage().heapUsed; };
     const some = () => { for (let index = 0; index < 20_000; index++) observe({ name: "s", attributes: { text: text + index } }, () => 1); };
     some();
     const before = await used();
     for (let round = 0; round < 10; round++) some();
     console.log(JSON.stringify({ grown: (await used()) - before, pending: stats().pending }));
     process.exit(0);`,
    `http://127.0.0.1:${await closedPort()}`,
  );
  const { grown, pending } = JSON.parse(output.split("\n").find((line) => line.startsWith("{")) ?? "{}") as {
    grown: number;
    pending: number;
  };
  // The buffer, and one batch that is being sent.
  expect(pending).toBeLessThanOrEqual(10_100);
  // 200,000 spans of 1 KB would take 200 MB if they were kept.
  expect(grown).toBeLessThan(10_000_000);
});
