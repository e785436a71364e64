import { whenFree, writeBeside, type LoadedConfig } from "@obspan/collector-core";
import type { ImportResult } from "@obspan/collector-core/api-schema";
import { createReadStream } from "node:fs";
import { open, rename, stat, writeFile } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { TracePageKey } from "./trace-page.js";

/** Reads and writes files of traces by the collector's own routes, with their limits. */
export interface CollectorFiles {
  /**
   * Imports a file. Rejects with the collector's words if it refuses the whole file.
   *
   * @param onProgress - gets the share of the file that was read, from 0 to 1.
   */
  importFile(path: string, onProgress: (share: number) => void): Promise<ImportResult>;
  /** Writes a trace as OTLP-JSON lines. The file is whole, or as it was before. */
  saveTrace(trace: TracePageKey, path: string): Promise<void>;
}

/** Options of {@link createCollectorFiles}. */
export interface CollectorFilesOptions {
  readonly pageUrl: string;
  readonly config: Pick<LoadedConfig["config"], "auth.api_keys">;
}

/** A line may be long; its first span is at its beginning. */
const FIRST_BYTES = 64 * 1024;

export function createCollectorFiles({ pageUrl, config }: CollectorFilesOptions): CollectorFiles {
  const [key] = config["auth.api_keys"];
  const keyHeaders: Record<string, string> = key === undefined ? {} : { "X-API-Key": key };

  /** Resolves with the response, which may come before all of the body is sent. */
  function send(path: string, method: "GET" | "POST", body?: Readable): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers =
        body === undefined ? keyHeaders : { ...keyHeaders, "Content-Type": "application/jsonl" };
      const request = httpRequest(new URL(path, pageUrl), { method, headers });
      request.once("response", resolve);
      request.once("error", reject);
      if (body === undefined) request.end();
      else pipeline(body, request).catch(reject);
    });
  }

  return {
    async importFile(path, onProgress) {
      // Opening a pipe or a device would wait for ever.
      const { size, isFile } = await describeFile(path);
      if (!isFile) throw new Error("It is not a file.");
      if (size === 0) throw new Error("The file is empty.");
      const file = createReadStream(path);
      file.on("data", () => onProgress(Math.min(1, file.bytesRead / size)));
      try {
        const response = await send("/v1/import", "POST", file);
        const answer: unknown = JSON.parse(await text(response));
        if (response.statusCode !== 200) throw new Error(messageOf(answer));
        return answer as ImportResult;
      } finally {
        file.destroy();
      }
    },
    async saveTrace({ traceId, tenant = "" }, path) {
      const query = new URLSearchParams({ trace_id: traceId, format: "jsonl" });
      if (tenant !== "") query.set("tenant", tenant);
      const response = await send(`/v1/trace-export?${query.toString()}`, "GET");
      if (response.statusCode !== 200) throw new Error(messageOf(JSON.parse(await text(response))));
      await writeBeside(
        path,
        (file) => writeFile(file, response),
        (unfinished) => whenFree(() => rename(unfinished, path)),
      );
    },
  };
}

async function describeFile(path: string): Promise<{ size: number; isFile: boolean }> {
  const found = await stat(path);
  return { size: found.size, isFile: found.isFile() };
}

function messageOf(answer: unknown): string {
  const { error } = answer as { error?: { message?: string } };
  return error?.message ?? "The collector gave no reason.";
}

/** A line that was refused may have anything between quotes. */
function textOf(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** The id of the trace at the beginning of a file of OTLP-JSON lines; undefined if it is not found there. */
export async function firstTraceId(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0);
    const start = buffer.toString("utf8", 0, bytesRead);
    // Ids that are not 32 hex digits are attributes beside a hash.
    const sent = /"obspan\.trace_id","value":\{"stringValue":("(?:[^"\\]|\\.)*")/.exec(start)?.[1];
    if (sent !== undefined) return textOf(sent);
    return /"traceId":"([0-9a-f]{32})"/i.exec(start)?.[1]?.toLowerCase();
  } finally {
    await file.close();
  }
}
