import { classNames } from "./class-names.js";
import buttonStyles from "./button.module.css";

/** Classes of a small button that has an icon alone. */
export const ICON_BUTTON = classNames(
  buttonStyles.button,
  buttonStyles.ghost,
  buttonStyles.small,
  buttonStyles.square,
);
