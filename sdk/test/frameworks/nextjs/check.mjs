import { checkNextjs } from "../check/check-nextjs.mjs";

await checkNextjs();
