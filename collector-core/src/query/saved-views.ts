import { Value } from "typebox/value";
import { ApiError } from "../api-schema/errors.js";
import type { StoredView } from "../interfaces.js";
import { DEFAULT_VIEWS, VIEW_LIMITS, ViewSchema, type View } from "../api-schema/views.js";
import { errorCode } from "../runtime/describe-error.js";

/** The name of the file beside the traces. */
export const VIEW_FILE_NAME = "views.json";

/** Keeps the text of the views for the next process. */
export interface ViewFile {
  /** Undefined if there is none. */
  read(): Promise<string | undefined>;
  /** Replaces the text as a whole. */
  write(text: string): Promise<void>;
}

/** The saved views of a collector. */
export interface SavedViews {
  list(): Promise<readonly View[]>;
  /** Adds a view, or replaces the one with its id. @throws `ApiError` invalid_payload if there are too many, views_not_writable. */
  put(view: View): Promise<void>;
  /** @throws `ApiError` view_not_found, views_not_writable. */
  remove(id: string): Promise<void>;
}

/** Options of {@link createSavedViews}. */
export interface SavedViewsOptions {
  /** Undefined while nothing outlives the process. */
  readonly file: () => ViewFile | undefined;
  /**
   * True if others write the file too: it is read with each question, and without an answer of it there is none.
   */
  readonly isShared?: boolean;
  /** The views in the file of the traces, which may have been restored from a backup. Used without a {@link file} of views. */
  readonly restored?: () => Promise<readonly StoredView[]>;
  /** Called if the file cannot be read: the default views are shown, and the file stays until a view is saved. */
  readonly onUnreadable: (error: unknown) => void;
}

/** Creates the saved views, at first the default ones. They are read from the file with the first question. */
export function createSavedViews({
  file,
  isShared = false,
  restored = async () => [],
  onUnreadable,
}: SavedViewsOptions): SavedViews {
  let loaded: Promise<Map<string, View>> | undefined;
  /** Changes run one after the other. */
  let changes: Promise<unknown> = Promise.resolve();

  async function load(): Promise<Map<string, View>> {
    try {
      const text = await file()?.read();
      if (text !== undefined) return byId(parseViews(text));
      const fromBackup = (await restored()).map(({ json }) => JSON.parse(json) as unknown);
      if (fromBackup.length > 0) return byId(validViews(fromBackup));
    } catch (error) {
      // The views of others would be lost with the next change.
      if (isShared) throw error;
      onUnreadable(error);
    }
    return byId(DEFAULT_VIEWS);
  }

  async function current(): Promise<Map<string, View>> {
    return isShared ? await load() : await (loaded ??= load());
  }

  async function write(text: string): Promise<void> {
    try {
      await file()?.write(text);
    } catch (error) {
      throw notWritable(error);
    }
  }

  function change(apply: (views: Map<string, View>) => void): Promise<void> {
    const done = changes.then(async () => {
      const views = new Map(await current());
      apply(views);
      await write(`${JSON.stringify({ views: [...views.values()] }, undefined, 2)}\n`);
      loaded = Promise.resolve(views);
    });
    changes = done.catch(() => undefined);
    return done;
  }

  return {
    list: async () => [...(await current()).values()],
    put: (view) =>
      change((views) => {
        if (!views.has(view.id) && views.size >= VIEW_LIMITS.views)
          throw new ApiError(
            "invalid_payload",
            `There are ${VIEW_LIMITS.views} views already, which is the limit.`,
            {
              limit: VIEW_LIMITS.views,
            },
          );
        views.set(view.id, view);
      }),
    remove: (id) =>
      change((views) => {
        if (!views.delete(id))
          throw new ApiError("view_not_found", `There is no view ${JSON.stringify(id)}.`);
      }),
  };
}

/** The file is kept as it is, such as on a full disk. */
function notWritable(error: unknown): ApiError {
  const code = errorCode(error) ?? "unknown";
  return new ApiError(
    "views_not_writable",
    `The file of the saved views cannot be written: ${code}. Nothing was changed. Try again later.`,
    { system: code },
    { "Retry-After": "5" },
  );
}

function byId(views: readonly View[]): Map<string, View> {
  return new Map(views.map((view) => [view.id, view]));
}

/** Leaves out what is no view, such as one of a newer version. @throws Error if the text is no list of views. */
export function parseViews(text: string): View[] {
  const { views } = JSON.parse(text) as { views?: unknown };
  if (!Array.isArray(views)) throw new Error("It has no list of views.");
  return validViews(views);
}

function validViews(views: readonly unknown[]): View[] {
  return views.filter((view) => Value.Check(ViewSchema, view)).slice(0, VIEW_LIMITS.views);
}

/** Views as a backup has them. */
export function storedViews(views: readonly View[]): StoredView[] {
  return views.map((view) => ({ id: view.id, json: JSON.stringify(view) }));
}
