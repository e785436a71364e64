import { late } from "../../components/late.js";

/** The page of two runs. */
export const ComparePage = late(async () => (await import("./compare-page.js")).ComparePage);
