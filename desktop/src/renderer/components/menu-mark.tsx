import { Check } from "lucide-react";
import iconStyles from "./icon.module.css";
import menuStyles from "./menu.module.css";

/** Space for the check mark of a menu item, kept free without one so that all items are aligned. */
export function MenuMark({ isChosen = false }: { isChosen?: boolean }) {
  return (
    <span className={menuStyles.menuMark}>
      {isChosen && <Check className={iconStyles.tiny} aria-hidden />}
    </span>
  );
}
