import { MEASURES } from "@obspan/collector-core/analysis";
import { Layers } from "lucide-react";
import { Segmented } from "../../../components/segmented.js";
import { ToggleButton } from "../toggle-button.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { MEASURE_NAMES } from "./flame-words.js";
import iconStyles from "../../../components/icon.module.css";

const CHOICES = MEASURES.map((value) => ({ value, content: MEASURE_NAMES[value] }));

/** What the frames of the flame are measured by, and whether repeats are one frame. */
export default function FlameTools() {
  const { view } = useTracePage();
  const { measure, mergesRepeats } = useTraceView((state) => state.flame);
  const { setFlame } = view.getState();
  return (
    <>
      <Segmented
        label="Width of a frame"
        choices={CHOICES}
        chosen={measure}
        onChoose={(chosen) => setFlame({ measure: chosen })}
        isSmall
      />
      <ToggleButton
        isOn={mergesRepeats}
        tip="Spans of the same type and name as one frame  R"
        onClick={() => setFlame({ mergesRepeats: !mergesRepeats })}
      >
        <Layers className={iconStyles.icon} aria-hidden />
        Fold
      </ToggleButton>
    </>
  );
}
