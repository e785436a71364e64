import { Download, Upload } from "lucide-react";
import { useStores } from "../../../app-context.js";
import type { TraceFilters } from "../../../api/collector-api.js";
import { chooseAndImport } from "./import-traces.js";

/** Traces out of a file, and into one: those that the filters choose. */
export function FileButtons({ filters }: { filters: TraceFilters }) {
  const { api, files } = useStores();
  return (
    <>
      <button
        type="button"
        className="btn square"
        title="Import traces from a file (or drop one on the page)"
        onClick={() => chooseAndImport(files)}
      >
        <Upload className="icon" aria-label="Import traces from a file" />
      </button>
      <a className="btn square" href={api.exportAddress(filters)} download title="Export what matches">
        <Download className="icon" aria-label="Export what matches" />
      </a>
    </>
  );
}
