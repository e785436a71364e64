import { existsSync } from "node:fs";
import { basename, join } from "node:path";

export const SOURCES = join(import.meta.dirname, "src");

/** Files outside `platform/` that `edge/` has a version of. */
const REPLACED =
  /src.(?:capture.(?:live-text|record-source)|export.(?:delivery-loop|exit-watch)|integrations.model-client.node-sse-filter)\.ts$/;

/** What is used of the context of a plugin. */
interface PluginContext {
  resolve(
    source: string,
    importer: string,
    options: { readonly skipSelf: true },
  ): Promise<{ readonly id: string } | null>;
}

/**
 * A plugin of rolldown and Vite that replaces files of Node by those of `src/edge` with the same name: every file of
 * `src/platform`, and a few others.
 */
export const edgeFiles = {
  name: "edge-files",
  async resolveId(this: PluginContext, source: string, importer: string | undefined): Promise<string | null> {
    if (importer === undefined || !source.startsWith(".")) return null;
    const resolved = await this.resolve(source, importer, { skipSelf: true });
    if (resolved === null || !(/src.platform./.test(resolved.id) || REPLACED.test(resolved.id))) return null;
    const file = join(SOURCES, "edge", basename(resolved.id));
    if (!existsSync(file)) throw new Error(`${file} is missing: it replaces ${resolved.id}`);
    return file;
  },
};
