export { AsyncLocalStorage } from "node:async_hooks";
