// An app that does not know of Obspan. The variable END says how its process ends.
import { callModels } from "./calls.mjs";

callModels().then(() => {
  if (process.env.END === "process.exit") process.exit(0);
  if (process.env.END === "Deno.exit") Deno.exit(0);
  if (process.env.END === "uncaught error") throw new Error("The app fails.");
  if (process.env.END === "SIGTERM") {
    setInterval(() => {}, 1000);
    console.log("ready");
  }
});
