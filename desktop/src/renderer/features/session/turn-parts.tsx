import { Wrench } from "lucide-react";
import { useMemo } from "react";
import { usePreferences, useStores } from "../../app-context.js";
import type { TurnPart } from "../../store/preferences-store.js";
import { ToggleButton } from "../trace/toggle-button.js";
import iconStyles from "../../components/icon.module.css";

/** What a turn shows beside what was said. */
export type TurnParts = Readonly<Record<TurnPart, boolean>>;

export function useTurnParts(): TurnParts {
  const hidden = usePreferences((state) => state.hiddenTurnParts);
  return useMemo(
    () => ({ activity: !hidden.includes("activity"), scores: !hidden.includes("scores") }),
    [hidden],
  );
}

/** Shows and hides these parts, of every session. */
export function TurnPartButtons({ parts }: { readonly parts: TurnParts }) {
  const { preferences } = useStores();
  const toggle = (part: TurnPart): void => {
    const others = preferences.getState().hiddenTurnParts.filter((each) => each !== part);
    preferences.setState({ hiddenTurnParts: parts[part] ? [...others, part] : others });
  };
  return (
    <>
      <ToggleButton
        isOn={parts.activity}
        tip="What the agent did in each turn"
        onClick={() => toggle("activity")}
      >
        <Wrench className={iconStyles.icon} aria-hidden />
        Activity
      </ToggleButton>
      <ToggleButton isOn={parts.scores} tip="The scores of each answer" onClick={() => toggle("scores")}>
        Scores
      </ToggleButton>
    </>
  );
}
