/** The environment variables of the process. Nothing else in the SDK's core reads them. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
