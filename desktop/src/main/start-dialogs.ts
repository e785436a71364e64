import { app, type MessageBoxOptions } from "electron";
import { startFailure, type LoadedConfig, type Logger } from "@obspan/collector-core";
import { askUser } from "./ask-user.js";

/** The user's choice if the port is in use. */
export type PortAnswer = "retry" | "another port" | "quit";

const PORT_ANSWERS: readonly PortAnswer[] = ["retry", "another port", "quit"];

/** Reports that the port is in use, and asks what to do. */
export async function askAboutPort(host: string, port: number, holder: string): Promise<PortAnswer> {
  const response = await ask({
    type: "warning",
    message: `Port ${port} is in use`,
    detail:
      `${holder}\n\n` +
      `Apps send their spans to http://${host}:${port}. Free the port and retry, or use another one for this run; ` +
      "then configure your apps with the new address, which is shown at the top of the window.",
    buttons: ["Retry", "Another port for this run", "Quit"],
    defaultId: 0,
    cancelId: 2,
  });
  return PORT_ANSWERS[response] ?? "quit";
}

/** Reports the problems of the configuration, and ends the app. */
export async function reportRefusedConfig(problems: readonly string[]): Promise<void> {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const text = problems.join("\n");
  process.stderr.write(`Obspan cannot start: its configuration has ${count}:\n${text}\n`);
  await ask({ type: "error", message: `The configuration has ${count}`, detail: text, buttons: ["Quit"] });
  app.exit(1);
}

/** Reports why the collector could not start, and ends the app. */
export async function reportStartFailure(error: unknown, loaded: LoadedConfig, log: Logger): Promise<void> {
  const reason = startFailure(error, loaded);
  log.critical(reason);
  await ask({ type: "error", message: "Obspan cannot start", detail: reason, buttons: ["Quit"] });
  log.close();
  app.exit(1);
}

/** The app may not be ready yet: there is no window. */
async function ask(options: MessageBoxOptions): Promise<number> {
  await app.whenReady();
  return await askUser(options);
}
