import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { Transform } from "node:stream";
import { byteSizeText } from "../../api-schema/byte-size.js";
import type { StoreInfo } from "../../api-schema/store.js";
import type { CollectorClient } from "../collector-client.js";
import { CommandFailure } from "../command-failure.js";
import type { OnProgress, StoreAccess, WrittenBackup } from "./store-access.js";

const TICK_MS = 200;

/** The store of a running collector. */
export function remoteStore(client: CollectorClient, onProgress: OnProgress): StoreAccess {
  async function waiting<Result>(work: Promise<Result>): Promise<Result> {
    const timer = setInterval(() => onProgress(), TICK_MS);
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  async function backup(file: string): Promise<WrittenBackup> {
    if (existsSync(file)) throw new CommandFailure(`${file} exists.`);
    const temporary = `${file}.partial`;
    const response = await client.file("/v1/store/backup");
    const total = Number(response.headers["content-length"]);
    let bytes = 0;
    const counted = new Transform({
      transform(part: Buffer, _encoding, done) {
        bytes += part.length;
        onProgress(`${byteSizeText(bytes)} of ${byteSizeText(total)}`);
        done(null, part);
      },
    });
    try {
      await pipeline(
        response,
        counted,
        createWriteStream(temporary, { mode: 0o600, flags: "wx", flush: true }),
      );
    } catch (error) {
      // The partial file of another backup stays.
      if (!isCode(error, "EEXIST")) rmSync(temporary, { force: true });
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandFailure(
        isCode(error, "EEXIST")
          ? `${temporary} exists: another backup is under way, or was ended. Remove it then.`
          : `The backup ended after ${byteSizeText(bytes)}: ${reason}.`,
        { cause: error },
      );
    }
    if (bytes !== total) {
      rmSync(temporary, { force: true });
      throw new CommandFailure(`The backup has ${bytes} bytes instead of ${total}.`);
    }
    renameSync(temporary, file);
    return { file, bytes };
  }

  return {
    url: client.url,
    info: () => client.json<StoreInfo>("GET", "/v1/store"),
    compact: () => waiting(client.json("POST", "/v1/store/compact")),
    verify: () => waiting(client.json("POST", "/v1/store/verify")),
    prune: (seconds) => waiting(client.json("POST", "/v1/store/prune", { older_than_seconds: seconds })),
    backup,
  };
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
