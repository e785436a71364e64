/** What happened when a trace file was opened. */
export type TraceFileEvent =
  /** The file is damaged. It was renamed, and an empty one was created. */
  | { readonly type: "corrupt"; readonly path: string; readonly keptAs: string; readonly problem: string }
  /** Numbers that new rows continue from were damaged. */
  | { readonly type: "repaired"; readonly path: string; readonly problem: string }
  | { readonly type: "migrated"; readonly path: string; readonly from: number; readonly to: number }
  /** The derived tables are empty and have to be rebuilt from the chunks. */
  | { readonly type: "rebuild"; readonly path: string; readonly from: number; readonly to: number };
