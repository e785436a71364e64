import type { LucideIcon } from "lucide-react";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
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
      className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small, buttonStyles.square)}
      aria-label={name}
      data-tip={keys === "" ? name : `${name}  ${keys}`}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon className={iconStyles.icon} aria-hidden />
    </button>
  );
}
