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
      {
        message: (_path, message) =>
          new Promise((resolve) =>
            held.push(() =>
              resolve(JSON.stringify({ ...(message as object), method: undefined, result: {} })),
            ),
          ),
      },
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

const RESPONSE = { jsonrpc: "2.0", id: 1, result: {} };
const FAILURE = {
  jsonrpc: "2.0",
  id: 1,
  error: { code: -32_000, message: expect.stringContaining("does not speak MCP") as string },
};

it.each([
  ["on several lines", JSON.stringify(RESPONSE, null, 2), [RESPONSE]],
  [
    "with a notification",
    `data: {"jsonrpc":"2.0","method":"a"}\n\ndata: ${JSON.stringify(RESPONSE)}`,
    [{ jsonrpc: "2.0", method: "a" }, RESPONSE],
  ],
  [
    "without the id of a message that it cannot read",
    '{"jsonrpc":"2.0","id":null,"error":{}}',
    [{ jsonrpc: "2.0", id: 1, error: {} }],
  ],
  [
    "with more than one value",
    '{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","method":"b"}',
    [FAILURE],
  ],
  [
    "with a request of its own",
    'data: {"jsonrpc":"2.0","id":9,"method":"sampling/createMessage"}',
    [FAILURE],
  ],
  ["to another request", '{"jsonrpc":"2.0","id":2,"result":{}}', [FAILURE]],
  ["that is no JSON", "{garbage", [FAILURE]],
  ["that is a text", "hello", [FAILURE]],
  ["that is empty", "", [FAILURE]],
])(
  "contract 9 (MCP): obspan mcp passes on one answer, whatever the server sends: %s",
  async (_what, body, expected) => {
    const written: string[] = [];
    const bridge = createStdioBridge({ message: async () => body }, (answer) => written.push(answer));
    await bridge.receive('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    await bridge.receive('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    await bridge.settled();
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual(expected);
    expect(written.join("")).not.toContain("\n");
  },
);
