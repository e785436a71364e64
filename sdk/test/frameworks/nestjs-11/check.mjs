import { copyAppOf } from "../check/check.mjs";
import { checkNestjs } from "../check/check-nestjs.mjs";

copyAppOf("nestjs");
await checkNestjs();
