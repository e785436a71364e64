import { createHash } from "node:crypto";

/** An id in OTLP. */
export interface OtlpId {
  readonly bytes: Uint8Array;
  /** The id as sent, if the bytes do not represent it. */
  readonly original: string | undefined;
}

/** 16 bytes: the id if it is 32 hex digits, else a prefix of its SHA-256 (contract 6). */
export function otlpTraceId(traceId: string): OtlpId {
  return otlpId(traceId, 16);
}

/** 8 bytes, likewise. */
export function otlpSpanId(spanId: string): OtlpId {
  return otlpId(spanId, 8);
}

function otlpId(id: string, length: number): OtlpId {
  // In OTLP, all zeros mean no id.
  const isHex = id.length === length * 2 && /^[0-9a-f]+$/i.test(id) && !/^0+$/.test(id);
  if (!isHex) return { bytes: createHash("sha256").update(id).digest().subarray(0, length), original: id };
  return { bytes: Buffer.from(id, "hex"), original: id === id.toLowerCase() ? undefined : id };
}
