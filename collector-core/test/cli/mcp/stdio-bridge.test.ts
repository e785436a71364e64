import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { readMessageLines } from "../../../src/cli/mcp/message-lines.js";
import { createStdioBridge } from "../../../src/cli/mcp/stdio-bridge.js";

it.each([
  ["large", 60_000, 200],
  ["tiny", 0, 5000],
])(
  "contract 9 (MCP): obspan mcp reads no more %s messages than a MiB takes",
  async (_what, length, count) => {
    const held: (() => void)[] = [];
    const answered: string[] = [];
    let read = 0;
    async function* stdin(): AsyncGenerator<Buffer> {
      for (; read < count; read++)
        yield Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: read, method: "x".repeat(length) })}\n`);
    }
    const bridge = createStdioBridge(
      { message: () => new Promise((resolve) => held.push(() => resolve(`{"id":${answered.length}}`))) },
      (answer) => answered.push(answer),
    );
    const all = readMessageLines(stdin(), (line) => bridge.receive(line)).then(() => bridge.settled());
    await setImmediate();
    const message = length + 1024;
    const readAtFirst = read;
    expect(readAtFirst).toBeGreaterThan(8);
    expect(readAtFirst * message).toBeLessThan(2 ** 20 + 2 * message);
    while (answered.length < count) {
      held.shift()?.();
      await setImmediate();
      expect((read - answered.length) * message).toBeLessThan(2 ** 20 + 2 * message);
    }
    await all;
    expect(answered).toHaveLength(count);
  },
);
