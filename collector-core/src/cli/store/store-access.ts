import type { StoreCompaction, StoreInfo, StorePruned, StoreVerification } from "../../api-schema/store.js";

/** A written copy of the trace file. */
export interface WrittenBackup {
  readonly file: string;
  readonly bytes: number;
}

/** The file of a trace store: through the collector that has it open, or opened by this process. */
export interface StoreAccess {
  /** The collector; null if this process opens the file. */
  readonly url: string | null;
  info(): Promise<StoreInfo>;
  compact(): Promise<StoreCompaction>;
  verify(): Promise<StoreVerification>;
  prune(olderThanSeconds: number): Promise<StorePruned>;
  /** Writes a copy to a file that does not exist. */
  backup(file: string): Promise<WrittenBackup>;
}

/** Called often during a task. @param done - how much is done, if that is known. */
export type OnProgress = (done?: string) => void;
