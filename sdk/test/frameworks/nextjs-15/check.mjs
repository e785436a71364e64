import { copyAppOf } from "../check/check.mjs";
import { checkNextjs } from "../check/check-nextjs.mjs";

copyAppOf("nextjs");
await checkNextjs();
