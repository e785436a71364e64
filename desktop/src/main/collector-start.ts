import {
  createCollector,
  isPortInUse,
  warnOfOpenBind,
  type Collector,
  type LoadedConfig,
  type Logger,
} from "@obspan/collector-core";
import { describePortHolder } from "./port-holder.js";
import { askAboutPort } from "./start-dialogs.js";

export interface CollectorStartOptions {
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  readonly version: string;
  readonly uiDirectory: string;
}

/** A listening collector with its configuration. */
export interface RunningCollector {
  readonly collector: Collector;
  readonly loaded: LoadedConfig;
  /** URL of the pages on this machine. */
  readonly pageUrl: string;
}

/**
 * Starts the collector. If its port is in use, the user decides: retry, use another port for this run, or quit. It
 * never changes the port by itself, because apps send their spans to the known one.
 *
 * @returns undefined if the user quits. Rejects if it cannot start for another reason.
 */
export async function startCollector(options: CollectorStartOptions): Promise<RunningCollector | undefined> {
  const { log } = options;
  let { loaded } = options;
  for (;;) {
    const collector = await createCollector({ ...options, logger: log, loaded });
    try {
      await collector.start();
      log.info(`Listening on ${collector.url}`, { version: options.version });
      warnOfOpenBind(loaded, log);
      return { collector, loaded, pageUrl: pageUrl(collector.url) };
    } catch (error) {
      await collector.stop();
      if (!isPortInUse(error)) throw error;
    }
    const host = loaded.config["server.host"];
    const port = loaded.config["server.port"];
    const holder = await describePortHolder(host, port);
    log.warning(`Port ${port} of ${host} is in use.`, { holder });
    const answer = await askAboutPort(host, port, holder);
    log.info(`Port in use: ${answer}`);
    if (answer === "quit") return undefined;
    if (answer === "another port") loaded = withAnyPort(options.loaded);
  }
}

/** The configuration with a free port, marked as an override for this run. */
function withAnyPort(loaded: LoadedConfig): LoadedConfig {
  return {
    ...loaded,
    config: { ...loaded.config, "server.port": 0 },
    sources: { ...loaded.sources, "server.port": "another port for this run" },
  };
}

/** For a collector that listens on all addresses, the loopback address. */
function pageUrl(url: string): string {
  const page = new URL(url);
  if (page.hostname === "0.0.0.0") page.hostname = "127.0.0.1";
  if (page.hostname === "[::]") page.hostname = "[::1]";
  return page.href;
}
