import { app, dialog, type BrowserWindow } from "electron";
import { errorMessage, type Logger } from "@obspan/collector-core";
import type { ImportResult } from "@obspan/collector-core/api-schema";
import { basename } from "node:path";
import { askUser } from "./ask-user.js";
import type { AppWindow } from "./app-window.js";
import { firstTraceId, type CollectorFiles } from "./collector-files.js";
import type { OpeningQueue } from "./opening-queue.js";
import { isTraceFile, TRACE_FILE_ENDINGS } from "./openings.js";
import type { Preferences } from "./preferences.js";
import { traceOfPage, tracePagePath } from "./trace-page.js";

/** Files of traces, from the menu, the system and other starts. */
export interface TraceFiles {
  /** Lets the user choose files, and opens them. */
  choose(): Promise<void>;
  /** Imports a file and shows its trace, or the list if it has several. */
  open(path: string): Promise<void>;
  /** Saves the trace that the window shows. */
  save(): Promise<void>;
  forgetRecent(): void;
  /** Offers a file of traces in the menu; another one is left out. */
  remember(path: string): void;
}

/** Options of {@link createTraceFiles}. */
export interface TraceFilesOptions {
  readonly files: CollectorFiles;
  readonly window: AppWindow;
  readonly preferences: Preferences;
  readonly openings: OpeningQueue;
  readonly platform: NodeJS.Platform;
  readonly log: Logger;
}

const FILTERS = [
  { name: "Traces (OTLP-JSON lines)", extensions: [...TRACE_FILE_ENDINGS] },
  { name: "All Files", extensions: ["*"] },
];
/** Problems that a dialog has room for. */
const MAX_SHOWN_PROBLEMS = 5;

export function createTraceFiles(options: TraceFilesOptions): TraceFiles {
  const { files, window, preferences, openings, log } = options;
  /** Linux has no such list. */
  const hasRecentDocuments = options.platform === "darwin" || options.platform === "win32";

  function remember(path: string): void {
    preferences.addRecentFile(path);
    if (hasRecentDocuments) app.addRecentDocument(path);
  }

  async function tell(message: string, detail: string): Promise<void> {
    await askUser({ type: "warning", message, detail, buttons: ["OK"] }, window.current());
  }

  async function open(path: string): Promise<void> {
    const name = basename(path);
    try {
      const result = await files.importFile(path, (share) => window.current()?.setProgressBar(share));
      log.info(`Opened ${path}`, { traces: result.traces, spans: result.spans });
      remember(path);
      const traceId = result.traces === 1 ? await firstTraceId(path) : undefined;
      window.open(traceId === undefined ? "/traces" : tracePagePath({ traceId }));
      const left = refusedText(result);
      if (left !== undefined) void tell(`${name} was opened in part`, left);
    } catch (error) {
      const reason = problemOf(error);
      log.warning(`Not opened: ${path}: ${reason}`);
      preferences.change({ recentFiles: preferences.values.recentFiles.filter((each) => each !== path) });
      window.show();
      void tell(`${name} cannot be opened`, reason);
    } finally {
      window.current()?.setProgressBar(-1);
    }
  }

  return {
    open,
    async choose() {
      const { filePaths } = await dialog.showOpenDialog(window.show(), {
        title: "Open Traces",
        filters: FILTERS,
        properties: ["openFile", "multiSelections"],
      });
      openings.add(filePaths.map((path) => ({ type: "file", path })));
    },
    async save() {
      const shown: BrowserWindow = window.show();
      const trace = traceOfPage(shown.webContents.getURL());
      if (trace === undefined) {
        await tell("No trace is open", "Open a trace, then save it.");
        return;
      }
      const name = `obspan-trace-${trace.traceId.replaceAll(/[^\w-]+/g, "_").slice(0, 64)}.jsonl`;
      const { canceled, filePath } = await dialog.showSaveDialog(shown, {
        title: "Save Trace",
        defaultPath: name,
        filters: FILTERS,
      });
      if (canceled) return;
      try {
        await files.saveTrace(trace, filePath);
        log.info(`Saved ${filePath}`);
        remember(filePath);
      } catch (error) {
        log.warning(`Not saved: ${filePath}: ${errorMessage(error)}`);
        await tell(`${basename(filePath)} was not saved`, errorMessage(error));
      }
    },
    remember(path) {
      if (isTraceFile(path)) remember(path);
    },
    forgetRecent() {
      preferences.change({ recentFiles: [] });
      if (hasRecentDocuments) app.clearRecentDocuments();
    },
  };
}

/** What of a file was refused, with the first reasons; undefined if nothing was. */
function refusedText(result: ImportResult): string | undefined {
  const { lines, refused_lines: refusedLines, refused_spans: refusedSpans, dropped_spans: dropped } = result;
  const counts = [
    ...(refusedLines > 0 ? [`${refusedLines} of ${lines} lines`] : []),
    ...(refusedSpans + dropped > 0 ? [`${refusedSpans + dropped} spans`] : []),
  ];
  if (counts.length === 0) return undefined;
  const problems = result.problems.slice(0, MAX_SHOWN_PROBLEMS);
  const more = result.problems.length - problems.length;
  return [
    `Left out: ${counts.join(" and ")}.`,
    ...problems.map(({ line, message }) => `Line ${line}: ${message}`),
    ...(more > 0 ? [`${more} more problems.`] : []),
  ].join("\n");
}

function problemOf(error: unknown): string {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  return isMissing ? "The file is not there." : errorMessage(error);
}
