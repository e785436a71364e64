import { expect, it } from "vitest";
import { runAgainst } from "../run-against.js";

// A file that can be opened, and of which the first byte cannot be read.
it.runIf(process.platform === "linux")(
  "says that a file cannot be read, and does not blame the collector",
  async () => {
    const { code, stderr } = await runAgainst(
      (request) => void request.resume(),
      ["import", "/proc/self/mem"],
    );
    expect(stderr).toMatch(/^obspan: \/proc\/self\/mem cannot be read to its end: EIO/);
    expect(code).toBe(1);
  },
);
