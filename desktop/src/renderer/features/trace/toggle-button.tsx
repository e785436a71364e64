import type { ReactNode } from "react";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";

interface ToggleButtonProps {
  readonly isOn: boolean;
  readonly tip: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** A small button of a bar that is on or off. */
export function ToggleButton({ isOn, tip, onClick, children }: ToggleButtonProps) {
  return (
    <button
      type="button"
      className={classNames(
        buttonStyles.button,
        buttonStyles.ghost,
        buttonStyles.small,
        isOn && buttonStyles.on,
      )}
      aria-pressed={isOn}
      data-tip={tip}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
