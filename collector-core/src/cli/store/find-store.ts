import type { LoadedConfig } from "../../config/load-config.js";
import { CollectorClient } from "../collector-client.js";
import { CommandFailure } from "../command-failure.js";
import type { RecentAnswers } from "../recent-answers.js";
import { remoteStore } from "./remote-store.js";
import type { OnProgress, StoreAccess } from "./store-access.js";

/** Where to look for a store. */
export interface StorePlace {
  /** `--url`: the collector at this address, and nothing else. */
  readonly url: string | undefined;
  /** `--directory`: the file in this directory, and nothing else. */
  readonly directory: string | undefined;
  /** `OBS_API_KEY`. */
  readonly apiKey: string | undefined;
}

/** Options of {@link findStore}. */
export interface FindStoreOptions {
  readonly place: StorePlace;
  /** The configuration that `obspan serve` reads. @throws CommandFailure if it is invalid. */
  readonly config: () => LoadedConfig["config"];
  /** Options that the user has set. */
  readonly isSet: (key: "limits.max_traces") => boolean;
  readonly version: string;
  readonly onProgress: OnProgress;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
  /** Gets what a collector answers. */
  readonly answers: RecentAnswers;
}

/** Finds the collector of the configuration, or if none answers, the file that it would open. */
export async function findStore(options: FindStoreOptions): Promise<StoreAccess> {
  const { place, signal, onProgress, answers } = options;
  if (place.url !== undefined) {
    const client = new CollectorClient({
      url: place.url,
      apiKey: keyFor(place.url, options),
      signal,
      answers,
    });
    return remoteStore(client, onProgress);
  }
  const config = options.config();
  if (place.directory !== undefined) return await local(place.directory, undefined, options);
  const { "server.host": host, "server.port": port } = config;
  const url = port === 0 ? undefined : `http://${reachable(host)}:${port}`;
  if (url !== undefined) {
    const apiKey = place.apiKey ?? config["auth.api_keys"][0];
    const client = new CollectorClient({ url, apiKey, signal, answers });
    if (await client.isThere()) return remoteStore(client, onProgress);
  }
  const directory = config["trace_store.path"];
  if (directory === undefined || directory === "none")
    throw new CommandFailure(
      `${url === undefined ? "" : `No collector answers at ${url}, and `}trace_store.path names no directory. Use --directory or --url.`,
    );
  return await local(directory, url, options);
}

/** The keys of the configuration are for the collector of this machine. */
function keyFor(url: string, { place, config }: FindStoreOptions): string | undefined {
  if (place.apiKey !== undefined || !URL.canParse(url)) return place.apiKey;
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
  return isHere ? config()["auth.api_keys"][0] : undefined;
}

/** The address at which this machine reaches a bind address. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

async function local(
  directory: string,
  triedUrl: string | undefined,
  { config, isSet, version, onProgress, warn, signal }: FindStoreOptions,
): Promise<StoreAccess> {
  // Loaded only where this process opens the file.
  const { localStore } = await import("./local-store.js");
  const values = config();
  return localStore({
    directory,
    triedUrl,
    version,
    onProgress,
    warn,
    signal,
    limits: {
      disk_max_bytes: values["trace_store.disk_max_bytes"],
      disk_min_free_bytes: values["trace_store.disk_min_free_bytes"],
      ttl_seconds: values["trace_store.ttl_seconds"],
      max_traces: isSet("limits.max_traces") ? values["limits.max_traces"] : null,
    },
  });
}
