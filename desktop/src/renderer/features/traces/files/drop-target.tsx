import { Upload } from "lucide-react";
import { useEffect, useState } from "react";
import { useStores } from "../../../app-context.js";
import { desktopBridge } from "../../../desktop-bridge.js";
import iconStyles from "../../../components/icon.module.css";
import styles from "./drop-target.module.css";

/** Imports a file that is dropped anywhere on the page, and shows a hint while one is dragged. */
export function DropTarget() {
  const { files } = useStores();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    function onDragOver(event: DragEvent): void {
      if (!hasFiles(event)) return;
      // Otherwise the browser would open the file instead of the page.
      event.preventDefault();
      setOver(true);
    }
    function onDragLeave(event: DragEvent): void {
      if (event.relatedTarget === null) setOver(false);
    }
    function onDrop(event: DragEvent): void {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file === undefined) return;
      void files.getState().importFile(file);
      void desktopBridge?.rememberFile(file);
    }
    window.addEventListener("dragover", onDragOver);
    window.addEventListener("dragleave", onDragLeave);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onDragOver);
      window.removeEventListener("dragleave", onDragLeave);
      window.removeEventListener("drop", onDrop);
    };
  }, [files]);
  if (!isOver) return null;
  return (
    <div className={styles.dropTarget} role="status">
      <Upload className={iconStyles.icon} aria-hidden />
      Drop a file of OTLP-JSON lines to import its traces
    </div>
  );
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}
