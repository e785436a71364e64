import { useMemo } from "react";
import type { ConfigDescription } from "@obspan/collector-core/api-schema";
import { useSettings } from "../../app-context.js";
import { CopyButton } from "../../components/copy-button.js";
import { diffLines, type DiffLine } from "./model/line-diff.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";
import styles from "./yaml-pane.module.css";

/** The configuration file, with the changes that are not saved yet. */
export function YamlPane({ description: { file, file_exists: exists } }: { description: ConfigDescription }) {
  const check = useSettings((state) => state.check);
  const lines = useMemo(() => (check === undefined ? [] : diffLines(check.before, check.after)), [check]);
  const { directory, name } = partsOf(file ?? "no file");
  return (
    <aside className={styles.pane} aria-label="Configuration file">
      <header className={styles.head}>
        <b>{name}</b>
        <span
          className={classNames(textStyles.mono, textStyles.cut, textStyles.faint)}
          data-tip={file ?? undefined}
        >
          {directory}
        </span>
        <span className={textStyles.grow} />
        {file !== null && <CopyButton className={styles.copy} text={file} name="Copy the path" />}
      </header>
      {/* The lines scroll. */}
      <div className={styles.scroll} tabIndex={0} role="group" aria-label="Content of the file">
        <pre className={styles.code}>
          {lines.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </pre>
        <p className={classNames(textStyles.note, styles.note)}>{noteOf(file, exists, lines.length > 0)}</p>
      </div>
    </aside>
  );
}

function noteOf(file: string | null, exists: boolean, hasLines: boolean): string {
  if (file === null) return "The collector was started without a configuration file.";
  if (!exists) return "The first save creates this file. Only you can read it.";
  return hasLines
    ? "Comments and order stay as you wrote them. Secrets, and comments beside them, are hidden here."
    : "The file is empty, or cannot be shown.";
}

function Line({ line: { mark, text, number } }: { line: DiffLine }) {
  const className = mark === "+" ? styles.add : mark === "-" ? styles.del : styles.line;
  return (
    <span className={className}>
      <span className={styles.number} aria-hidden>
        {number}
      </span>
      {mark === "-" ? "−" : mark}
      {mark !== " " && (
        <span className={textStyles.screenReader}>{mark === "+" ? "added: " : "removed: "}</span>
      )}
      <Code text={text} />
      {"\n"}
    </span>
  );
}

/** A line of YAML: the key, the value and the comment in their colours. */
function Code({ text }: { text: string }) {
  const key = /^(\s*(?:- )?)([^\s#:][^:]*)(:)(.*)$/.exec(text);
  if (text.trimStart().startsWith("#")) return <span className={styles.comment}>{text}</span>;
  if (key === null) return <Value text={text} />;
  const [, indent = "", name = "", colon = "", rest = ""] = key;
  return (
    <>
      {indent}
      <span className={styles.key}>{name}</span>
      {colon}
      <Value text={rest} />
    </>
  );
}

function Value({ text }: { text: string }) {
  const comment = text.indexOf(" #");
  const value = comment === -1 ? text : text.slice(0, comment);
  const word = value.trim();
  const kind = /^-?\d/.test(word) ? styles.figure : /^(?:true|false)$/.test(word) ? styles.word : styles.text;
  return (
    <>
      <span className={kind}>{value}</span>
      {comment !== -1 && <span className={styles.comment}>{text.slice(comment)}</span>}
    </>
  );
}

function partsOf(path: string): { directory: string; name: string } {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return { directory: path.slice(0, at), name: path.slice(at) };
}
