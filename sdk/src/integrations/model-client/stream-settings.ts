/** How the stream of a request is followed. */
export interface StreamSettings {
  /** True for a chunk that only the SDK asked for: the app does not get it. */
  readonly isHiddenChunk?: ((chunk: unknown) => boolean) | undefined;
  /** True if the client ends a stream that is cut off or aborted without an error: only a complete one succeeds. */
  readonly endsSilently?: boolean;
  /** Logged once if a complete stream has no token counts. */
  readonly missingUsageWarning?: string | undefined;
}
