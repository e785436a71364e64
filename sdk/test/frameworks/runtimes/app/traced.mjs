// An app that puts its calls into one trace.
import { agent } from "@obspan/sdk";
import { callModels } from "./calls.mjs";

agent("shop", callModels)();
