import { isTruncated, oneLine, type StepError } from "@obspan/collector-core/analysis";
import { classNames } from "../../../components/class-names.js";
import { TranscriptText } from "./transcript-text.js";
import textStyles from "../../../components/text.module.css";

/** Characters of a reason in one line. */
const LINE = 240;

/** Why a step failed: in one line, or the whole message. */
export function StepFailure({ error, isOpened }: { error: StepError; isOpened: boolean }) {
  const { message, type, node } = error;
  if (message === undefined) return <span>{type ?? "failed without a reason"}</span>;
  if (isOpened)
    return (
      <div className={textStyles.grow}>
        <TranscriptText text={message} kind="code" node={node} foldKey={`${node.id} error`} />
      </div>
    );
  const text = isTruncated(message) ? message.preview : message;
  return <span className={classNames(textStyles.mono, textStyles.cut)}>{oneLine(text, LINE)}</span>;
}
