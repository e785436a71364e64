import { Command } from "cmdk";
import { StatusDot } from "../../components/status-dot.js";
import type { PaletteItem } from "./palette-items.js";

interface PaletteLineProps {
  readonly item: PaletteItem;
  /** What was typed: it is marked where it stands. */
  readonly query: string;
  readonly onChoose: () => void;
}

/** One line of the palette. */
export function PaletteLine({ item, query, onChoose }: PaletteLineProps) {
  const { id, label, detail, sign, figures = [], keys = [], isDanger = false } = item;
  return (
    <Command.Item value={id} className={isDanger ? "item danger" : "item"} onSelect={onChoose}>
      {"status" in sign ? (
        <StatusDot status={sign.status} />
      ) : (
        <sign.icon className={`icon ${sign.className ?? ""}`} aria-hidden />
      )}
      <span className="cut">
        <Marked text={label} query={query} />
      </span>
      {detail !== undefined && (
        <span className="cut d">
          <Marked text={detail} query={query} />
        </span>
      )}
      <span className="grow" />
      {figures.map((figure, index) => (
        <span key={figure} className={index === 0 ? "num dim" : "num faint"}>
          {figure}
        </span>
      ))}
      {keys.length > 0 && (
        <span className="keys">
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </Command.Item>
  );
}

/** The text with the first place marked where the query stands in it. */
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
