import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";

/**
 * The lock of `app.requestSingleInstanceLock()`: held by a file with the holder's pid, reached by a socket beside it.
 */
export class SingleInstance {
  #server: Server | undefined;
  readonly #lockFile: string;
  readonly #socketFile: string;

  readonly #userData: string;
  readonly #onSecond: (argv: string[]) => void;

  constructor(userData: string, onSecond: (argv: string[]) => void) {
    this.#userData = userData;
    this.#onSecond = onSecond;
    this.#lockFile = join(userData, "double.lock");
    this.#socketFile = join(userData, "double.sock");
  }

  /** @returns whether this is the first; a second one tells the first its arguments. */
  request(): { isFirst: boolean; told: Promise<void> } {
    mkdirSync(this.#userData, { recursive: true });
    try {
      writeFileSync(this.#lockFile, String(process.pid), { flag: "wx" });
    } catch {
      if (isAlive(Number(readFileSync(this.#lockFile, "utf8"))))
        return { isFirst: false, told: this.#tellFirst() };
      writeFileSync(this.#lockFile, String(process.pid));
    }
    rmSync(this.#socketFile, { force: true });
    this.#server = createServer((socket) => {
      socket.on("data", (data) => this.#onSecond(JSON.parse(data.toString()) as string[]));
    }).listen(this.#socketFile);
    this.#server.unref();
    return { isFirst: true, told: Promise.resolve() };
  }

  release(): void {
    if (this.#server === undefined) return;
    this.#server.close();
    this.#server = undefined;
    rmSync(this.#lockFile, { force: true });
  }

  #tellFirst(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#socketFile, () => socket.end(JSON.stringify(process.argv), resolve));
      socket.once("error", reject);
    });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
