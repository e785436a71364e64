import { late } from "../../components/late.js";

/** The page of one trace, with the view that most traces open in. */
export const TracePage = late(async () => {
  const { TracePage: Page, preloadConversation } = await import("./trace-page.js");
  preloadConversation();
  return Page;
});
