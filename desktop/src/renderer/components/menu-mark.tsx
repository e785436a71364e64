import { Check } from "lucide-react";

/** The place of the tick in front of a menu's item: all items begin at the same edge, whether they have it or not. */
export function MenuMark({ isChosen = false }: { isChosen?: boolean }) {
  return <span className="menu-mark">{isChosen && <Check className="icon xs" aria-hidden />}</span>;
}
