// An app that calls models by the AI SDK, and does not know of Obspan.
import { callModels } from "./ai-sdk-calls.mjs";

callModels();
