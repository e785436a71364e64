// An app that registers the integration with the AI SDK itself. Its environment configures the SDK.
import { registerAISDK } from "@obspan/sdk/ai-sdk";
import { callModels } from "./ai-sdk-calls.mjs";

registerAISDK();
callModels();
