/** How the stream of a request is followed. */
export interface StreamSettings {
  /** True for a chunk that only the SDK asked for: the app does not get it. */
  readonly isHiddenChunk?: ((chunk: unknown) => boolean) | undefined;
  /** True if the client ends a stream that is cut off or aborted without an error: only a complete one succeeds. */
  readonly endsSilently?: boolean;
  /** Logged once if a complete stream has no token counts. */
  readonly missingUsageWarning?: string | undefined;
  /** Adds what the headers of a response have to its body, before it is read. */
  readonly readBody?: (body: unknown) => unknown;
  /** Creates the reader of a stream that is not of server-sent events; undefined if a body of the type is no stream. */
  readonly createReader?: (contentType: string, onChunk: (chunk: unknown) => void) => BodyReader | undefined;
}

/** Reads the chunks of a stream from bytes that arrive in any pieces. */
export interface BodyReader {
  read(bytes: Uint8Array): void;
  finish(): void;
}
