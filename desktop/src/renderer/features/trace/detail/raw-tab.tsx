import { prettyJson } from "@obspan/collector-core/analysis";
import { byteSizeText } from "@obspan/collector-core/api-schema";
import { useMemo } from "react";
import { CopyButton } from "../../../components/copy-button.js";
import { JsonText } from "./code.js";
import { LoadTexts } from "./load-texts.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import textStyles from "../../../components/text.module.css";
import viewBarStyles from "../../../components/view-bar.module.css";
import attributesStyles from "./attributes.module.css";

/** The span as JSON from the collector. */
export function RawTab() {
  const { span } = useSpanDetail();
  const text = useMemo(() => prettyJson(span), [span]);
  return (
    <>
      <div className={classNames(viewBarStyles.viewBar, viewBarStyles.tight)}>
        <span className={textStyles.note}>JSON · {byteSizeText(text.length)}</span>
        <span className={textStyles.grow} />
        <CopyButton
          text={text}
          name="Copy the JSON"
          className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
        >
          Copy
        </CopyButton>
      </div>
      <div className={attributesStyles.raw}>
        <LoadTexts />
        <JsonText text={text} />
      </div>
    </>
  );
}
