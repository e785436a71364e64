import { Check } from "lucide-react";
import iconStyles from "./icon.module.css";
import menuStyles from "./menu.module.css";

/** The place of the tick in front of a menu's item: all items begin at the same edge, whether they have it or not. */
export function MenuMark({ isChosen = false }: { isChosen?: boolean }) {
  return (
    <span className={menuStyles.menuMark}>
      {isChosen && <Check className={iconStyles.tiny} aria-hidden />}
    </span>
  );
}
