import type { LucideIcon } from "lucide-react";
import { ICON_BUTTON } from "../../components/icon-button-class.js";
import iconStyles from "../../components/icon.module.css";

interface IconButtonProps {
  readonly icon: LucideIcon;
  readonly name: string;
  readonly keys: string;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}

/** A small icon button; its name and shortcut are in the tooltip. */
export function IconButton({ icon: Icon, name, keys, isDisabled = false, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      className={ICON_BUTTON}
      aria-label={name}
      data-tip={keys === "" ? name : `${name}  ${keys}`}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon className={iconStyles.icon} aria-hidden />
    </button>
  );
}
