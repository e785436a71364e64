/** What only evaluation loads, and of that only the provider in use: it is not in the bundle of the command. */
const ON_DEMAND = /^(?:ai|@ai-sdk\/.*|@aws-sdk\/.*|ollama-ai-provider-v2)$/;

/** The names of these dependencies. */
export function loadedOnDemand({ dependencies }) {
  return Object.keys(dependencies).filter((name) => ON_DEMAND.test(name));
}
