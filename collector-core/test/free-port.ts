import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems give to servers without one and to clients. */
const [FIRST, END] = [20_000, 32_000];

/** A port that nothing listens on, and that the system gives to no other program until it is used, or used again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = new Promise<boolean>((resolve) => {
    server.once("listening", () => resolve(true)).once("error", () => resolve(false));
  });
  server.listen(port, "127.0.0.1");
  if (!(await isListening)) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}
