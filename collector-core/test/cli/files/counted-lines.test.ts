import { expect, it } from "vitest";
import { CountedLines } from "../../../src/cli/files/counted-lines.js";

const line = (trace: string, linked = "f") =>
  `{"resourceSpans":[{"spans":[${["a", "b"]
    .map(
      (id) =>
        `{"traceId":"${trace.repeat(32)}","spanId":"${id}","links":[{"traceId":"${linked.repeat(32)}"}]}`,
    )
    .join(",")}]}]}\n`;

it.each([1, 7, 1000])(
  "contract 9: an export counts its traces, in parts of %d characters",
  async (length) => {
    const text = [line("1"), line("1", "2"), line("2", "1"), line("3")].join("");
    const parts = Array.from({ length: Math.ceil(text.length / length) }, (_, n) =>
      text.slice(n * length, (n + 1) * length),
    );
    async function* read(): AsyncGenerator<string> {
      yield* parts;
    }
    const counted = new CountedLines(() => undefined);
    let passed = "";
    for await (const part of counted.of(read())) passed += part;
    expect(passed).toBe(text);
    expect(counted).toMatchObject({ traces: 3, lines: 4, bytes: text.length });
  },
);
