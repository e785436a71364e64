import OpenAI from "openai";

const openai = new OpenAI();
const { choices } = await openai.chat.completions.create({
  model: "gpt-5-mini",
  messages: [{ role: "user", content: "Where is my order?" }],
});
console.log(choices[0]?.message.content);
