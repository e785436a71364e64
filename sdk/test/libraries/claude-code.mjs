/**
 * Takes the place of the program of Claude Code, whose binary is not installed: speaks its protocol on stdin and stdout. The
 * variable CLAUDE_SCRIPT has the steps of each prompt: messages, calls of the app's hooks, pauses, a crash.
 */
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

const turns = JSON.parse(process.env.CLAUDE_SCRIPT ?? "[]");
const session_id = "5b9ccf2c-4be1-4d3c-8f44-4f6e4aa2a9d1";
const waiting = new Map();
let hooks = {};
let requests = 0;
let messages = 0;
let running = Promise.resolve();

/** The variables that the tests look at. */
const ENVIRONMENT = /^(TRACEPARENT|OTEL_|CLAUDE_CODE_ENA|CLAUDE_CODE_ENH)/;

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** Calls a hook of the app, and waits for its answer. */
async function callHooks(event, input) {
  for (const { hookCallbackIds = [] } of hooks[event] ?? []) {
    for (const callback_id of hookCallbackIds) {
      const request_id = `hook-${++requests}`;
      const answered = new Promise((resolve) => waiting.set(request_id, resolve));
      send({
        type: "control_request",
        request_id,
        request: {
          subtype: "hook_callback",
          callback_id,
          tool_use_id: input.tool_use_id,
          input: { hook_event_name: event, session_id, transcript_path: "", cwd: "/", ...input },
        },
      });
      await answered;
    }
  }
}

async function runTurn(steps) {
  const environment = Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name));
  send({ type: "system", subtype: "init", session_id, claude_code_version: "2.1.330", environment });
  for (const step of steps) {
    if (step.pauseMs !== undefined) await pause(step.pauseMs);
    else if (step.hook !== undefined) await callHooks(step.hook, step.input);
    else if (step.crash !== undefined) process.exit(step.crash);
    else
      send({ session_id, uuid: `00000000-0000-4000-8000-${String(++messages).padStart(12, "0")}`, ...step });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "control_request") {
    if (message.request.subtype === "initialize") hooks = message.request.hooks ?? {};
    const response = {
      subtype: "success",
      request_id: message.request_id,
      response: { commands: [], models: [] },
    };
    send({ type: "control_response", response });
  } else if (message.type === "control_response") waiting.get(message.response.request_id)?.();
  else if (message.type === "user") {
    // Hooks are answered on the same input, so the loop goes on meanwhile.
    running = running.then(() => runTurn(turns.shift() ?? []));
  }
}
