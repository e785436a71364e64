import { latePage } from "../../components/late-page.js";

/** The page of one trace. */
export const lateTracePage = latePage(async () => (await import("./trace-page.js")).TracePage);
