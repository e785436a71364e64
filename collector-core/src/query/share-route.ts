import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { SHARE_FORMATS, type ShareFormat } from "../api-schema/share.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import type { SharedTraceRedactor } from "../share/shared-trace.js";
import { sharedFileName } from "./shared-file-name.js";

/** What the routes for files to share tell of their responses. The files are streams, so that their type is loose. */
export const SHARED_FILE = {
  tags: ["traces"],
  produces: Object.values(SHARE_FORMATS).map(({ type }) => type),
  response: { 200: Type.String({ description: "The file, as an attachment." }) } satisfies Record<
    number,
    object
  >,
};

/**
 * The query of a route for files to share.
 *
 * @param contents - of the file in each format, in Markdown.
 * @param tenant - what the tenant is of, in Markdown.
 */
export function shareQuery({ jsonl, markdown, html }: Record<ShareFormat, string>, tenant: string) {
  return {
    format: Type.Optional(
      Type.Union([Type.Literal("jsonl"), Type.Literal("markdown"), Type.Literal("html")], {
        default: "jsonl",
        description: `\`jsonl\`: ${jsonl} \`markdown\`: ${markdown} \`html\`: ${html}`,
      }),
    ),
    raw: Type.Optional(
      Type.Union([Type.Literal("true"), Type.Literal("false")], {
        description:
          "`true`: texts of `markdown` and `html` as they are. Default: the built-in redaction patterns replace personal data and secrets.",
      }),
    ),
    tenant: Type.Optional(Type.String({ description: tenant })),
  };
}

/** What {@link sendSharedFile} names a file after. */
interface SharedFileNaming {
  readonly what: "trace" | "session";
  readonly id: string;
  readonly format: ShareFormat;
  /** Redacts the id, which may be an address; undefined for a file that is not redacted. */
  readonly redactor: SharedTraceRedactor | undefined;
}

/** A file as a whole, laid out in slices. */
export async function joinInSlices(
  pieces: Iterable<string>,
  timeSlice: Pick<TimeSlice, "isOver" | "next">,
): Promise<Buffer> {
  const buffers: Buffer[] = [];
  for (const piece of pieces) {
    if (timeSlice.isOver()) await timeSlice.next();
    buffers.push(Buffer.from(piece));
  }
  return Buffer.concat(buffers);
}

/** Sends a file to share, as an attachment. */
export async function sendSharedFile(
  reply: FastifyReply,
  { what, id, format, redactor }: SharedFileNaming,
  body: Buffer | Readable,
): Promise<FastifyReply> {
  const { type, ending } = SHARE_FORMATS[format];
  const shownId = redactor === undefined ? id : redactor.text(id);
  return await reply
    .type(`${type}; charset=utf-8`)
    .headers({
      "Content-Disposition": `attachment; filename="${sharedFileName(what, shownId, ending)}"`,
      "Cache-Control": "no-store",
      // A browser that shows the file anyway runs nothing in it.
      "Content-Security-Policy": "sandbox",
    })
    .send(body);
}
