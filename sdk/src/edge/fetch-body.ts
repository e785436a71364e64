/** Longest body that is not compressed, in characters. */
const GZIP_ABOVE = 1024;

/** The body of a request. */
export interface FetchBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In bytes. */
  readonly length: number;
  readonly isGzip: boolean;
}

/**
 * Encodes a batch, with gzip where the runtime has it.
 *
 * @param compresses - false to send it as it is.
 */
export function encodeBody(json: string, compresses: boolean): FetchBody | Promise<FetchBody> {
  const bytes = new TextEncoder().encode(json);
  const plain = { bytes, length: bytes.length, isGzip: false };
  if (!compresses || json.length <= GZIP_ABOVE || typeof CompressionStream === "undefined") return plain;
  return gzip(bytes).catch(() => plain);
}

async function gzip(plain: Uint8Array<ArrayBuffer>): Promise<FetchBody> {
  const stream = new Blob([plain]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return { bytes, length: bytes.length, isGzip: true };
}
