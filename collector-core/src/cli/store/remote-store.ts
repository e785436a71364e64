import { byteSizeText } from "../../api-schema/byte-size.js";
import type { StoreInfo } from "../../api-schema/store.js";
import type { CollectorClient } from "../collector-client.js";
import { CommandFailure } from "../command-failure.js";
import { writeFile } from "../files/write-file.js";
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
    let bytes = 0;
    // Nothing is asked for before the file is open.
    async function* parts(): AsyncGenerator<Buffer> {
      const response = await client.file("/v1/store/backup");
      const total = Number(response.headers["content-length"]);
      for await (const part of response as AsyncIterable<Buffer>) {
        bytes += part.length;
        onProgress(`${byteSizeText(bytes)} of ${byteSizeText(total)}`);
        yield part;
      }
      if (bytes !== total) throw new CommandFailure(`The backup has ${bytes} bytes instead of ${total}.`);
    }
    await writeFile(file, parts());
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
