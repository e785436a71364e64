import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenToConsole, recordingSdk, type Sdk } from "../fresh-sdk.js";

const SOURCE = `
class Support {
  base = "b:";
  #secret = "s";
  @agent("support") async run(question: string): Promise<string> { return this.base + (await this.search(question, 1)); }
  @tool() async search(query: string, limit: number): Promise<string> { return query + limit + this.#secret; }
  @llm({ model: "m", provider: "p" }) async *stream(prompt: string) { yield prompt; yield "!"; }
  @task *count() { yield 1; yield this.base; }
  @observe("static-block") static make(value: number) { return value + 1; }
  @observe() plain() { return this.base; }
  @retrieval fail(): never { throw new RangeError("no"); }
  @embedding({ name: "named" }) [Symbol.for("embed")](text: string) { return text.length; }
}
return Support;
`;

interface Support {
  run: (question: string) => Promise<string>;
  search: (query: string, limit: number) => Promise<string>;
  stream: (prompt: string) => AsyncIterable<string>;
  count: () => Iterable<unknown>;
  plain: () => string;
  fail: () => never;
}

/** Compiles the class with one kind of decorators, as the build of an app does. */
async function compile(sdk: Sdk, experimentalDecorators: boolean): Promise<new () => Support> {
  const { outputText } = ts.transpileModule(
    `export default function make(sdk) {
    const { agent, tool, llm, task, observe, retrieval, embedding } = sdk;
    ${SOURCE}
  }`,
    {
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        experimentalDecorators,
      },
    },
  );
  const directory = mkdtempSync(join(import.meta.dirname, "../../dist-test/decorators-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "class.mjs");
  writeFileSync(file, outputText);
  const { default: make } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    default: (sdk: Sdk) => new () => Support;
  };
  return make(sdk);
}

describe.each([
  ["TC39 decorators", false],
  ["legacy decorators (experimentalDecorators)", true],
])("%s", (_, experimentalDecorators) => {
  it("record methods of every kind, which keep name, length, this and result", async () => {
    const sdk = await recordingSdk();
    const Support = await compile(sdk, experimentalDecorators);
    const support = new Support();
    expect([support.search.name, support.search.length, support.run.name]).toEqual(["search", 2, "run"]);
    expect(await support.run("q")).toBe("b:q1s");
    const streamed: string[] = [];
    for await (const part of support.stream("Hi")) streamed.push(part);
    expect(streamed).toEqual(["Hi", "!"]);
    expect([...support.count()]).toEqual([1, "b:"]);
    expect((Support as unknown as { make: (value: number) => number }).make(1)).toBe(2);
    expect(support.plain()).toBe("b:");
    expect(() => support.fail()).toThrow(RangeError);
    const embed = (support as unknown as Record<symbol, (text: string) => number>)[Symbol.for("embed")];
    expect(embed?.call(support, "abc")).toBe(3);

    const spans = sdk.takeSpans();
    expect(spans.map(({ name, span_type, status }) => [name, span_type, status])).toEqual([
      ["search", "tool", "OK"],
      ["support", "agent", "OK"],
      ["stream", "llm", "OK"],
      ["count", "task", "OK"],
      ["static-block", "span", "OK"],
      ["plain", "span", "OK"],
      ["fail", "retrieval", "ERROR"],
      ["named", "embedding", "OK"],
    ]);
    expect(spans[0]?.parent_span_id).toBe(spans[1]?.span_id);
    expect(spans[0]?.attributes).toMatchObject({
      tool_name: "search",
      agent: "support",
      input_text: '["q",1]',
    });
    expect(spans[2]?.attributes).toMatchObject({ model: "m", provider: "p", completion_text: "Hi!" });
  });
});

it("a decorator leaves anything but a method unchanged, and warns once", async () => {
  const heard = listenToConsole();
  const sdk = await recordingSdk();
  const { outputText } = ts.transpileModule(
    `const { tool } = sdk; class A { @tool() field = () => 1; @tool() other = 2; } return A;`,
    { compilerOptions: { target: ts.ScriptTarget.ES2022 } },
  );
  // The text is a constant of this test.
  // oxlint-disable-next-line typescript/no-implied-eval
  const make = new Function("sdk", outputText) as (
    sdk: Sdk,
  ) => new () => { field: () => number; other: number };
  const instance = new (make(sdk))();
  expect([instance.field(), instance.other]).toEqual([1, 2]);
  expect(heard.warnings).toEqual([expect.stringContaining("@tool decorates methods only")]);
});

it("the types fit both kinds of decorators and keep the type of the method", () => {
  /** Parsed once for both kinds. */
  const parsed = new Map<string, ts.SourceFile | undefined>();
  for (const experimentalDecorators of [false, true]) {
    const file = join(import.meta.dirname, "decorated.ts");
    const source = `
      import { agent, llm, observe, tool } from "../../src/index.js";
      export class Support {
        @agent("support") async run(question: string): Promise<string> { return question; }
        @tool search(this: Support, query: string, limit = 1): string { return query + limit; }
        @llm({ model: "m" }) async *stream(prompt: string): AsyncGenerator<string> { yield prompt; }
        @observe() generic<T>(value: T): T { return value; }
        @observe bare(): number { return 1; }
      }
      export const text: string = new Support().search("a");
      // @ts-expect-error: the argument stays a string.
      new Support().search(1);
    `;
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ["node"],
      experimentalDecorators,
    };
    const host = ts.createCompilerHost(options);
    const { getSourceFile, fileExists } = host;
    host.getSourceFile = (name, version, ...rest) => {
      if (name === file) return ts.createSourceFile(name, source, version);
      if (!parsed.has(name)) parsed.set(name, getSourceFile.call(host, name, version, ...rest));
      return parsed.get(name);
    };
    host.fileExists = (name) => name === file || fileExists.call(host, name);
    const program = ts.createProgram([file], options, host);
    const problems = ts.getPreEmitDiagnostics(program, program.getSourceFile(file));
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  }
}, 60_000);
