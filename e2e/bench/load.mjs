/** The load generator as the benchmark sees it. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** One generator process for the whole run, so that it is warm and request numbers are unique. */
export class LoadGenerator {
  #child = startChild();

  /**
   * @param {import("./load-generator.mjs").LoadOrder} order
   * @returns {Promise<import("./load-generator.mjs").LoadResult>}
   */
  run(order) {
    return new Promise((resolve, reject) => {
      this.#child.once("message", (result) => {
        if ("error" in result) reject(new Error(`The load generator: ${result.error}`));
        else resolve(result);
      });
      this.#child.send(order);
    });
  }

  /** Gives up what is under way. */
  restart() {
    this.stop();
    this.#child = startChild();
  }

  stop() {
    this.#child.kill();
  }
}

function startChild() {
  return fork(fileURLToPath(new URL("./load-generator.mjs", import.meta.url)));
}
