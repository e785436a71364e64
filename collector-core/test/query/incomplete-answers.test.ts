import type {} from "@fastify/swagger";
import { fastify } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { markIncompleteAnswers } from "../../src/query/incomplete-answers.js";

it("marks the responses about traces, also errors, while the store rebuilds its index", async () => {
  let rebuildProgress: number | null = 0.5;
  const app = fastify();
  onTestFinished(() => app.close());
  markIncompleteAnswers(app, () => ({ rebuildProgress }));
  app.get("/traces", { schema: { tags: ["traces"] } }, async () => ({}));
  app.get("/missing", { schema: { tags: ["traces"] } }, async () => {
    throw Object.assign(new Error("no such trace"), { statusCode: 404 });
  });
  app.get("/health", { schema: { tags: ["health"] } }, async () => ({}));
  const marks = async () =>
    await Promise.all(
      ["/traces", "/missing", "/health"].map(
        async (url) => (await app.inject(url)).headers["x-obspan-incomplete"],
      ),
    );
  expect(await marks()).toEqual(["rebuild", "rebuild", undefined]);
  rebuildProgress = null;
  expect(await marks()).toEqual([undefined, undefined, undefined]);
});
