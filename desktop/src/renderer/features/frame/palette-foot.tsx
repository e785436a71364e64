import { KeyHint } from "../../components/key-hint.js";
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
      <KeyHint keys={["↑", "↓"]}>move</KeyHint>
      <KeyHint keys={["↵"]}>open</KeyHint>
      {canOpenInTab && <KeyHint keys={[isMac() ? "⌘" : "Ctrl", "↵"]}>open beside</KeyHint>}
      <KeyHint keys={["⇥"]}>make it a filter</KeyHint>
      <span className={textStyles.grow} />
      <KeyHint keys={[">"]}>actions</KeyHint>
      <KeyHint keys={["#"]}>trace id</KeyHint>
    </footer>
  );
}
