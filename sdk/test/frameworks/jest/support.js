const { agent } = require("@obspan/sdk");
const { wrapOpenAI } = require("@obspan/sdk/openai");
const { OpenAI } = require("openai");

const openai = wrapOpenAI(new OpenAI());

exports.support = agent("support", async (question) => {
  const { choices } = await openai.chat.completions.create({
    model: "gpt-5-mini",
    messages: [{ role: "user", content: question }],
  });
  return choices[0].message.content;
});
