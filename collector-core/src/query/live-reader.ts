/** A connection that events are written to. */
export interface LiveReader {
  /** Writes text, or bytes that readers share. */
  write(text: string | Uint8Array): void;
  /**
   * True while the connection has unsent data, or if memory for `bytes` more is lacking. Nothing is written then; missed changes
   * are merged.
   */
  isBehind(bytes?: number): boolean;
  /** False once its key or session has ended: the hub then ends the connection. */
  isAllowed(): boolean;
  end(): void;
  /** Tenant of the traces and evaluations it gets; undefined selects every tenant. */
  readonly tenant?: string | undefined;
}
