import { useMemo } from "react";
import { prettyJson } from "@obspan/collector-core/analysis";
import { chunkText, jsonTokens } from "../model/json-tokens.js";
import { classNames } from "../../../components/class-names.js";
import codeStyles from "../../../components/code.module.css";
import proseStyles from "./prose.module.css";

/** Longer JSON is not coloured, because each coloured piece is an element. */
const MAX_COLOURED = 40_000;
/** Shorter texts are not cut into chunks. */
const ONE_PIECE = 16_000;

/** Formatted JSON with syntax colours. */
export function JsonCode({ value }: { value: unknown }) {
  const text = useMemo(() => prettyJson(value), [value]);
  return <JsonText text={text} />;
}

/** JSON that is already formatted. */
export function JsonText({ text }: { text: string }) {
  const tokens = useMemo(() => (text.length > MAX_COLOURED ? undefined : jsonTokens(text)), [text]);
  if (tokens === undefined) return <PlainText text={text} isCode />;
  return (
    <pre className={codeStyles.code}>
      {tokens.map(({ text: piece, kind }, index) =>
        kind === "" ? (
          piece
        ) : (
          <span key={index} className={codeStyles[kind]}>
            {piece}
          </span>
        ),
      )}
    </pre>
  );
}

/**
 * An unformatted text of any length. A long one is cut into chunks, and the browser lays out only the visible ones.
 * Searching in the page and selecting all still cover the whole text.
 */
export function PlainText({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const chunks = useMemo(() => (text.length > ONE_PIECE ? chunkText(text) : [text]), [text]);
  return (
    <pre className={isCode ? codeStyles.code : classNames(proseStyles.prose, proseStyles.plain)}>
      {chunks.length === 1
        ? text
        : chunks.map((chunk, index) => (
            <div key={index} className={proseStyles.chunk}>
              {chunk}
            </div>
          ))}
    </pre>
  );
}
