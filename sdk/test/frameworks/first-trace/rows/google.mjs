export default {
  page: "google",
  install: ["@google/genai@3.1.0"],
  unwrap: [["wrapGoogleGenAI(new GoogleGenAI({", "(new GoogleGenAI({"]],
  exchanges: ["gemini-generate-basic"],
  env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "test-key" }),
  code: `
const response = await ai.models.generateContent({ model: "gemini-2.0-flash", contents: "What's the weather?" });
console.log(response.text);
`,
  expected: [["llm chat gemini-2.0-flash 21+26"]],
  registered: [["llm chat gemini-2.0-flash 21+26"]],
};
