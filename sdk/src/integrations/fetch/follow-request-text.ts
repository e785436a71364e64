import {
  activeRuntime,
  followLiveText,
  readChunk,
  TextAccumulator,
  type ManualSpan,
} from "../../capture/integration.js";
import { observeRequests } from "./observe-requests.js";

/**
 * Sends the text of a model call while it streams, with `live`. For a library that reports the text only at the end: it is
 * read from the response to the request that runs in the span.
 *
 * @param isAllowed - called with the first text: whether the library shows the text of the call at all.
 */
export function followRequestText(span: ManualSpan, isAllowed: () => boolean): void {
  if (activeRuntime()?.config.live !== true) return;
  let text = new TextAccumulator();
  let onText: (() => void) | undefined;
  let isFollowed = false;
  observeRequests(span, {
    // A further attempt starts with no text.
    onRequest: () => void (text = new TextAccumulator()),
    onChunk(chunk) {
      const { text: added } = readChunk(chunk);
      if (added === undefined) return;
      if (!isFollowed && isAllowed()) onText = followLiveText(span, { response: () => text.toString() });
      isFollowed = true;
      if (onText === undefined) return;
      text.append(added);
      onText();
    },
  });
}
