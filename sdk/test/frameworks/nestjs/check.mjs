import { checkNestjs } from "../check/check-nestjs.mjs";

await checkNestjs();
