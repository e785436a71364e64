import { agent, bind, configure, currentTraceparent, tool } from "@obspan/sdk";

configure({ service: "shop-web", pushUrl: location.origin });

const ask = tool("ask", async (question) => {
  const headers = { traceparent: currentTraceparent() ?? "" };
  const response = await fetch("/ask", { method: "POST", headers, body: question });
  return response.text();
});

const show = tool("show", (answer) => {
  document.querySelector("output").textContent = answer;
});

const support = agent("support", async (question) => {
  const showInside = bind(show); // called after an await, so it takes the context with it
  showInside(await ask(question));
});

document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  void support(new FormData(event.target).get("question"));
});
