import { useMemo } from "react";
import { CopyButton } from "../../../components/copy-button.js";
import { formatBytes } from "../../../format.js";
import { prettyJson } from "../model/values.js";
import { JsonText } from "./code.js";
import { MissingTexts } from "./missing-texts.js";
import { useSpanDetail } from "./span-detail-context.js";

/** The span as the collector answers it. */
export function RawTab() {
  const { span } = useSpanDetail();
  const text = useMemo(() => prettyJson(span), [span]);
  const { value, unit } = formatBytes(text.length);
  return (
    <>
      <div className="view-bar tight">
        <span className="note">
          JSON · {value} {unit}
        </span>
        <span className="grow" />
        <CopyButton text={text} name="Copy the JSON" className="btn ghost sm">
          Copy
        </CopyButton>
      </div>
      <div className="raw">
        <MissingTexts />
        <JsonText text={text} />
      </div>
    </>
  );
}
