import { latePage } from "../../components/late-page.js";

/** The page of two runs. */
export const lateComparePage = latePage(async () => (await import("./compare-page.js")).ComparePage);
