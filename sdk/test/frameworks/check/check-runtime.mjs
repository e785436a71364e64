/** What the checks of other runtimes than Node share. */
import { PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN } from "./check.mjs";

/** The environment of an app that only register records. No interval sends its spans before its end. */
export const REGISTER_ENV = {
  OBS_SERVICE: "register",
  OBS_PUSH_URL: process.env.COLLECTOR_URL ?? "",
  OBS_PROVIDER_HOSTS: "127.0.0.1",
  OBS_FLUSH_INTERVAL: "60",
};

/**
 * Runs the server of the project, and expects a trace for each question: one of its own, and one of the caller.
 *
 * @param {import("./check.mjs").Check} check
 * @param {string} command
 * @param {readonly string[]} args
 */
export async function checkServer({ start, expectTraces }, command, args) {
  const server = await start(command, args);
  await server.ask();
  await server.ask("/ask", REMOTE_HEADERS);
  const answer = ["agent support", `  ${PLAIN_CALL}`];
  await expectTraces("shop", [answer, [`${REMOTE_SPAN} > ${answer[0]}`, answer[1]]]);
}
