import { useMemo } from "react";
import { chunkText, jsonTokens } from "../model/json-tokens.js";
import { prettyJson } from "../model/values.js";
import { classNames } from "../../../components/class-names.js";
import codeStyles from "../../../components/code.module.css";
import proseStyles from "./prose.module.css";

/** Longer JSON is not coloured: each piece of colour is an element. */
const MAX_COLOURED = 40_000;
/** Shorter texts need no cutting. */
const ONE_PIECE = 16_000;

/** JSON over lines, in the five colours of code. */
export function JsonCode({ value }: { value: unknown }) {
  const text = useMemo(() => prettyJson(value), [value]);
  return <JsonText text={text} />;
}

/** JSON that is formatted already. */
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
 * A text as it came, of any length. A long one stands in pieces, of which the browser lays out only those near to what
 * is seen; finding in the page and selecting all still reach the whole.
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
