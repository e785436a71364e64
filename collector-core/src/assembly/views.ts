import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../config/replace-file.js";
import { readViewFile } from "../store/sqlite/file/view-file.js";
import { createSavedViews, VIEW_FILE_NAME, type SavedViews, type ViewFile } from "../query/saved-views.js";
import { errorMessage } from "../runtime/describe-error.js";
import type { Foundation } from "./foundation.js";
import type { Storage } from "./storage.js";

const OWNER_ONLY = 0o600;

/** Saved views: in a file beside the traces, in the store that collectors share, or in memory if traces are. */
export function createViews({ config, logger }: Foundation, storage: Storage): SavedViews {
  const { sharedViews } = storage;
  return createSavedViews({
    isShared: sharedViews !== undefined,
    file: () => {
      if (sharedViews !== undefined) return sharedViews;
      const directory = storage.maintenance() === undefined ? undefined : config["trace_store.path"];
      return directory === undefined ? undefined : viewFile(join(directory, VIEW_FILE_NAME));
    },
    restored: async () => (await storage.maintenance()?.views()) ?? [],
    onUnreadable: (error) =>
      logger.warning(`The saved views cannot be read. The default views are shown. ${errorMessage(error)}`),
  });
}

function viewFile(path: string): ViewFile {
  return {
    async read() {
      try {
        // An empty file was created and not written yet.
        return readViewFile(path) || undefined;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async write(text) {
      await appendFile(path, "", { mode: OWNER_ONLY });
      await replaceFile(path, text);
    },
  };
}
