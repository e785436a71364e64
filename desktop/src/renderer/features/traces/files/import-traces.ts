import { chooseFile } from "../../../components/choose-file.js";
import type { TraceFilesStore } from "../../../store/trace-files-store.js";

/** Lets the user choose a file of traces, and imports it. */
export function chooseAndImport(files: TraceFilesStore): void {
  chooseFile(".jsonl,.ndjson,.json,application/jsonl,application/x-ndjson", (file) => {
    void files.getState().importFile(file);
  });
}
