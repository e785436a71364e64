import { late } from "../../components/late.js";

/** The page of one session. The parser of its texts is fetched while they are. */
export const SessionPage = late(async () => {
  const { SessionPage: Page, preloadMarkdown } = await import("./session-page.js");
  preloadMarkdown();
  return Page;
});
