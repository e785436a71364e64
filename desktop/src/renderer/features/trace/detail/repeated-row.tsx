import type { RepeatedMessages } from "@obspan/collector-core/analysis";
import { ChevronDown, ChevronRight } from "lucide-react";
import { formatWhole } from "../../../format.js";
import { useSelection } from "../hooks/use-selection.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import messagesStyles from "./messages.module.css";

interface RepeatedRowProps {
  readonly count: number;
  readonly repeated: RepeatedMessages;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** In place of the messages that a call before sent already. */
export function RepeatedRow({ count, repeated: { before, isLast }, isOpen, onToggle }: RepeatedRowProps) {
  const { select } = useSelection();
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <div className={messagesStyles.repeated}>
      <button type="button" aria-expanded={isOpen} onClick={onToggle}>
        <Icon className={iconStyles.small} aria-hidden />
        {formatWhole(count)} messages as in {isLast ? "the call before" : "an earlier call"}
      </button>
      <span className={textStyles.grow} />
      <button type="button" className={buttonStyles.more} onClick={() => select(before)}>
        <span className={textStyles.cut}>{before.span.name}</span>
      </button>
    </div>
  );
}
