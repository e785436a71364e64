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

/** A collector that listens, with the configuration that it took. */
export interface RunningCollector {
  readonly collector: Collector;
  readonly loaded: LoadedConfig;
  /** Where this machine finds its pages. */
  readonly pageUrl: string;
}

/**
 * Starts the collector. Where its port is taken the user decides: try again, take another port for this run, or quit.
 * It never goes to another port unasked, for apps send their spans to the one that they know.
 *
 * @returns undefined where the user would rather quit. Rejects where it cannot start for another reason.
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

/** The configuration with any free port, which is said to hold for this run. */
function withAnyPort(loaded: LoadedConfig): LoadedConfig {
  return {
    ...loaded,
    config: { ...loaded.config, "server.port": 0 },
    sources: { ...loaded.sources, "server.port": "another port for this run" },
  };
}

/** A collector that listens on every address is reached by the loopback one. */
function pageUrl(url: string): string {
  const page = new URL(url);
  if (page.hostname === "0.0.0.0") page.hostname = "127.0.0.1";
  if (page.hostname === "[::]") page.hostname = "[::1]";
  return page.href;
}
