import { isMac } from "./top-bar.js";
import textStyles from "../../components/text.module.css";

/**
 * Keyboard hints of the palette.
 *
 * @param canOpenInTab - whether a result can be opened in another tab.
 */
export function PaletteFoot({ canOpenInTab }: { canOpenInTab: boolean }) {
  return (
    <footer>
      <Hint keys={["↑", "↓"]}>move</Hint>
      <Hint keys={["↵"]}>open</Hint>
      {canOpenInTab && <Hint keys={[isMac() ? "⌘" : "Ctrl", "↵"]}>open beside</Hint>}
      <Hint keys={["⇥"]}>make it a filter</Hint>
      <span className={textStyles.grow} />
      <Hint keys={[">"]}>actions</Hint>
      <Hint keys={["#"]}>trace id</Hint>
    </footer>
  );
}

function Hint({ keys, children }: { keys: readonly string[]; children: string }) {
  return (
    <span className={textStyles.keys}>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}{" "}
      {children}
    </span>
  );
}
