/** How the stream of a request is followed. */
export interface StreamSettings {
  /** True for a chunk that only the SDK asked for: the app does not get it. */
  readonly isHiddenChunk?: ((chunk: unknown) => boolean) | undefined;
  /** Logged once if a complete stream has no token counts. */
  readonly missingUsageWarning?: string | undefined;
}
