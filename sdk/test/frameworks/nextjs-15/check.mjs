import { copyAppOf } from "../check/check.mjs";
import { checkNext } from "../check/check-next.mjs";

copyAppOf("nextjs");
await checkNext();
