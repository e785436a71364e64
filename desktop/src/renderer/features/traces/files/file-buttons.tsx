import { Download, Upload } from "lucide-react";
import { useStores } from "../../../app-context.js";
import type { TraceFilters } from "../../../api/collector-api.js";
import { chooseAndImport } from "./import-traces.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";

/** Buttons to import traces, and to export the matching ones. */
export function FileButtons({ filters }: { filters: TraceFilters }) {
  const { api, files } = useStores();
  return (
    <>
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.square)}
        data-tip="Import traces from a file (or drop one on the page)"
        onClick={() => chooseAndImport(files)}
      >
        <Upload className={iconStyles.icon} aria-label="Import traces from a file" />
      </button>
      <a
        className={classNames(buttonStyles.button, buttonStyles.square)}
        href={api.exportAddress(filters)}
        download
        data-tip="Export what matches"
      >
        <Download className={iconStyles.icon} aria-label="Export what matches" />
      </a>
    </>
  );
}
