import { Command } from "cmdk";
import { StatusDot } from "../../components/status-dot.js";
import type { PaletteItem } from "./palette-items.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import paletteStyles from "./palette.module.css";

interface PaletteLineProps {
  readonly item: PaletteItem;
  /** The query; it is highlighted in the text. */
  readonly query: string;
  readonly onChoose: () => void;
}

/** One line of the palette. */
export function PaletteLine({ item, query, onChoose }: PaletteLineProps) {
  const { id, label, detail, sign, figures = [], keys = [], isDanger = false } = item;
  return (
    <Command.Item
      value={id}
      className={isDanger ? classNames(paletteStyles.item, paletteStyles.danger) : paletteStyles.item}
      onSelect={onChoose}
    >
      {"status" in sign ? (
        <StatusDot status={sign.status} />
      ) : (
        <sign.icon className={classNames(iconStyles.icon, sign.className)} aria-hidden />
      )}
      <span className={textStyles.cut}>
        <Marked text={label} query={query} />
      </span>
      {detail !== undefined && (
        <span className={classNames(textStyles.cut, paletteStyles.detail)}>
          <Marked text={detail} query={query} />
        </span>
      )}
      <span className={textStyles.grow} />
      {figures.map((figure, index) => (
        <span
          key={figure}
          className={
            index === 0
              ? classNames(textStyles.number, textStyles.dim)
              : classNames(textStyles.number, textStyles.faint)
          }
        >
          {figure}
        </span>
      ))}
      {keys.length > 0 && (
        <span className={textStyles.keys}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </Command.Item>
  );
}

/** The text with the first occurrence of the query highlighted. */
function Marked({ text, query }: { text: string; query: string }) {
  const wanted = query.replace(/^[>#]/, "").trim().toLowerCase();
  const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted);
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  );
}
