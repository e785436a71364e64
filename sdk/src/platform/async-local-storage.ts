export { AsyncLocalStorage } from "node:async_hooks";

/** Whether `enterWith()` works. */
export const CAN_ENTER: boolean = true;
