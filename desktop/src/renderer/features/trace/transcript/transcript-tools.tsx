import { transcriptMarkdown } from "@obspan/collector-core/analysis";
import { Check, Copy, FoldVertical, UnfoldVertical } from "lucide-react";
import { useCopy } from "../../../components/use-copy.js";
import { IconButton } from "../icon-button.js";
import { ToggleButton } from "../toggle-button.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { useReadTranscript } from "./use-transcript.js";

const TRANSCRIPT_PARTS = [
  { part: "system", name: "System", title: "The instructions to the models" },
  { part: "tools", name: "Tools", title: "Tools with their arguments and results" },
  { part: "steps", name: "Steps", title: "Steps that say nothing" },
] as const;

/** What the transcript shows, and what can be done with it as a whole. */
export default function TranscriptTools() {
  const { view } = useTracePage();
  const shown = useTraceView((state) => state.transcriptParts);
  const isAllOpen = useTraceView((state) => state.transcriptFolds.isAllOpen);
  const readTranscript = useReadTranscript();
  const { isCopied, copy } = useCopy();
  return (
    <>
      {TRANSCRIPT_PARTS.map(({ part, name, title }) => (
        <ToggleButton
          key={part}
          isOn={shown[part]}
          tip={title}
          onClick={() => view.getState().toggleTranscriptPart(part)}
        >
          {name}
        </ToggleButton>
      ))}
      <IconButton
        icon={isAllOpen ? FoldVertical : UnfoldVertical}
        name={isAllOpen ? "Fold all" : "Open all"}
        keys=""
        onClick={() => view.getState().setAllOpen(!isAllOpen)}
      />
      <IconButton
        icon={isCopied ? Check : Copy}
        name={isCopied ? "Copied" : "Copy as Markdown"}
        keys=""
        onClick={() => copy(transcriptMarkdown(readTranscript().transcript))}
      />
    </>
  );
}
