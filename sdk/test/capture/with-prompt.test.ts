import { expect, it } from "vitest";
import { freshSdk, listenToConsole, recordingSdk } from "../fresh-sdk.js";

const template = "Summarise for {audience}:";
const prompt = { name: "summary", version: "3", template, variables: { audience: "secret lawyers" } };

it("marks the model calls inside with name, version, hash of the template and variables", async () => {
  const { agent, llm, tool, withPrompt, takeSpans } = await recordingSdk();
  const ask = llm({ model: "m" }, async (text: string) => await Promise.resolve(text));
  const summary = await withPrompt(prompt, () => agent("writer", () => tool("search", () => ask("Hi"))())());
  expect(summary).toBe("Hi");
  await ask("outside");
  await withPrompt(prompt, () => withPrompt({ name: "inner", template: `${template} ` }, () => ask("Hi")));
  const [inside, search, writer, outside, inner] = takeSpans();
  expect(inside?.attributes).toMatchObject({
    prompt_name: "summary",
    prompt_version: "3",
    prompt_template_hash: expect.stringMatching(/^[\da-f]{16}$/),
    prompt_variables: { audience: "secret lawyers" },
  });
  for (const unmarked of [search, writer, outside])
    expect(unmarked?.attributes).not.toHaveProperty("prompt_name");
  expect(inner?.attributes).toMatchObject({ prompt_name: "inner" });
  expect(inner?.attributes).not.toHaveProperty("prompt_version");
  expect(inner?.attributes?.["prompt_template_hash"]).not.toBe(inside?.attributes?.["prompt_template_hash"]);
});

it("joins the calls inside it to the current trace, or to one trace outside every span", async () => {
  const { agent, llm, withPrompt, takeSpans } = await recordingSdk();
  const ask = llm(() => 1);
  agent("run", () => withPrompt(prompt, () => ask()))();
  const [call, run] = takeSpans();
  expect(call).toMatchObject({ trace_id: run?.trace_id, parent_span_id: run?.span_id });
  withPrompt(prompt, () => [ask(), ask()]);
  const [first, second] = takeSpans();
  expect(first?.trace_id).toBe(second?.trace_id);
});

it("masks the variables, and leaves them out without capturePrompt", async () => {
  const run = async (options: object) => {
    const { llm, withPrompt, takeSpans } = await recordingSdk(options);
    withPrompt(
      prompt,
      llm(() => 1),
    );
    return takeSpans()[0]?.attributes;
  };
  const mask = (text: string) => text.replaceAll(/secret|summary/g, "***");
  expect(await run({ mask })).toMatchObject({
    prompt_name: "summary",
    prompt_variables: { audience: "*** lawyers" },
  });
  const attributes = await run({ capturePrompt: false });
  expect(attributes).toMatchObject({ prompt_name: "summary" });
  expect(attributes).not.toHaveProperty("prompt_variables");
});

it("only calls the function where nothing is recorded", async () => {
  listenToConsole();
  const { withPrompt } = await freshSdk();
  expect(withPrompt(prompt, () => 5)).toBe(5);
});
