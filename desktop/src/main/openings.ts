import { extname, isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** What the system, a link or a second start asks the app to open. */
export type Opening =
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "trace"; readonly traceId: string };

/** The scheme of links to the app: `obspan://trace/<id>`. */
export const LINK_SCHEME = "obspan";

/** Longest id of a trace in a link. */
const MAX_ID_LENGTH = 128;
/** Longest text that is read: each character of an id may take twelve. */
const MAX_LINK_LENGTH = 2048;
const MAX_PATH_LENGTH = 4096;
/** Endings of trace files. */
export const TRACE_FILE_ENDINGS = ["jsonl", "ndjson"] as const;
const FILE_ENDINGS: ReadonlySet<string> = new Set(TRACE_FILE_ENDINGS.map((ending) => `.${ending}`));

/** Whether a text is the whole path of a file that may have traces. */
export function isTraceFile(path: string): boolean {
  return isAbsolute(path) && !path.includes("\0") && FILE_ENDINGS.has(extname(path).toLowerCase());
}

/** Reads a link. Any page can make one, so that it opens a page and nothing else. */
export function readLink(text: string): Opening | undefined {
  if (text.length > MAX_LINK_LENGTH) return undefined;
  const encoded = /^obspan:\/\/trace\/([^/?#]+)\/?$/i.exec(text)?.[1];
  if (encoded === undefined) return undefined;
  const traceId = decoded(encoded);
  // A control character is no part of an id that a person can read.
  if (traceId === undefined || traceId.length > MAX_ID_LENGTH || /\p{Cc}/u.test(traceId)) return undefined;
  return { type: "trace", traceId };
}

/** Decoded once: what is still encoded afterwards is part of the id. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the arguments of a start, without the program. If one of them is a link, only the link counts: whoever made it may
 * have added the others.
 */
export function readArguments(args: readonly string[], workingDirectory: string): readonly Opening[] {
  const link = args.find((argument) => isLink(argument));
  if (link !== undefined) {
    const opening = readLink(link);
    return opening === undefined ? [] : [opening];
  }
  return args.flatMap((argument) => {
    const path = pathOf(argument);
    const isFile = path !== undefined && FILE_ENDINGS.has(extname(path).toLowerCase());
    return isFile ? [{ type: "file" as const, path: resolve(workingDirectory, path) }] : [];
  });
}

/** Desktops of Linux give a URL in place of a path. One of another machine is refused. */
function pathOf(argument: string): string | undefined {
  if (argument.startsWith("-") || argument.length > MAX_PATH_LENGTH) return undefined;
  if (!/^file:/i.test(argument)) return argument;
  try {
    const url = new URL(argument);
    const path = fileURLToPath(url);
    return url.host === "" && !path.includes("\0") ? path : undefined;
  } catch {
    return undefined;
  }
}

function isLink(argument: string): boolean {
  return argument.slice(0, LINK_SCHEME.length + 1).toLowerCase() === `${LINK_SCHEME}:`;
}
