/**
 * Records the calls of the Amazon Bedrock client.
 *
 * @packageDocumentation
 */
export { wrapBedrock, type WrapBedrockOptions } from "./wrap-bedrock.js";
