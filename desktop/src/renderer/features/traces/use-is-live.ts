import { useConnection, useTraces } from "../../app-context.js";

/** False while the table does not change: paused or disconnected. */
export function useIsLive(): boolean {
  const paused = useTraces((state) => state.paused);
  const link = useConnection((connection) => connection.link);
  return !paused && link !== "disconnected";
}
