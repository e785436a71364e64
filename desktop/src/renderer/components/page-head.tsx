import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names.js";
import buttonStyles from "./button.module.css";
import iconStyles from "./icon.module.css";
import styles from "./page-head.module.css";

interface FactProps {
  readonly name: string;
  /** The tooltip. */
  readonly tip?: string;
  /** The text is cut if space is short, `first` before that of others; figures are not. */
  readonly canShrink?: boolean | "first";
  readonly children: ReactNode;
}

/** A named figure in the head of a page. */
export function Fact({ name, tip, canShrink = false, children }: FactProps) {
  return (
    <div
      data-tip={tip}
      className={classNames(canShrink !== false && styles.shrinks, canShrink === "first" && styles.first)}
    >
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface StepButtonProps {
  readonly name: string;
  readonly keys: string;
  /** Undefined if there is nothing to step to. */
  readonly onClick: (() => void) | undefined;
  readonly icon: LucideIcon;
}

/** Opens what stands before or behind in the list. */
export function StepButton({ name, keys, onClick, icon: Icon }: StepButtonProps) {
  return (
    <button
      type="button"
      className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.square)}
      aria-label={name}
      data-tip={`${name}  ${keys}`}
      disabled={onClick === undefined}
      onClick={onClick}
    >
      <Icon className={iconStyles.icon} aria-hidden />
    </button>
  );
}
