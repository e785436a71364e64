import { SHARE_FORMATS, type SessionSummary } from "@obspan/collector-core/api-schema";
import { ArrowDown, ArrowUp, Copy, FileText, Link2, Search, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { asCollectorError } from "../../api/collector-api.js";
import { useStores } from "../../app-context.js";
import { copyText } from "../../components/copy-text.js";
import { saveFrom } from "../../components/save-file.js";
import { useOfferActions } from "../frame/page-actions.js";
import type { PaletteItem } from "../frame/palette-items.js";
import { SESSION_FILES } from "../trace/share-menu.js";
import { sessionHref } from "./session-address.js";
import type { SessionSteps } from "./use-session-steps.js";

/** What can be done with a whole session. */
export interface SessionActions {
  readonly copyLink: () => void;
  /** The conversation for a ticket or a coding agent. Rejects if it cannot be read. */
  readonly readMarkdown: () => Promise<string>;
  /** Why it could not be read. */
  readonly failure: string | undefined;
}

/** The actions of the open session, which the palette offers too. */
export function useSessionActions(
  { session_id: sessionId, tenant }: SessionSummary,
  { openNewer, openOlder }: SessionSteps,
  openSearch: () => void,
): SessionActions {
  const { api } = useStores();
  const key = { sessionId, tenant };
  const [failure, setFailure] = useState<string>();
  const copyLink = (): void => void copyText(window.location.origin + sessionHref(key));
  const readMarkdown = async (): Promise<string> => {
    setFailure(undefined);
    try {
      return await api.readSessionMarkdown(key);
    } catch (error) {
      setFailure(`Not copied. ${asCollectorError(error).message}`);
      throw error;
    }
  };
  const item = (
    label: string,
    icon: LucideIcon,
    run: () => void,
    more: Partial<PaletteItem> = {},
  ): PaletteItem => ({ id: `session action ${label}`, label, sign: { icon }, run, ...more });
  useOfferActions({
    name: "This session",
    items: [
      item("Search in this session", Search, openSearch, { keys: ["/"], keywords: "find text turns" }),
      item("Copy as Markdown", FileText, () => void copyText(readMarkdown()), {
        detail: "the conversation",
        keywords: "share ticket agent",
      }),
      item("Copy the link", Link2, copyLink, { keys: ["Y"], keywords: "share url address" }),
      item("Copy the session id", Copy, () => void copyText(sessionId), { detail: sessionId }),
      ...SESSION_FILES.map(({ format, name, detail, icon }) =>
        item(`Download as ${name}`, icon, () => saveFrom(api.sessionFileAddress(key, format)), {
          detail,
          keywords: `share export save file ${SHARE_FORMATS[format].ending}`,
        }),
      ),
      ...(openNewer === undefined ? [] : [item("Newer session", ArrowUp, openNewer, { keys: ["K"] })]),
      ...(openOlder === undefined ? [] : [item("Older session", ArrowDown, openOlder, { keys: ["J"] })]),
    ],
  });
  return { copyLink, readMarkdown, failure };
}
