import { checkNext } from "../check/check-next.mjs";

await checkNext();
