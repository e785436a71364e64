module.exports = { testEnvironment: "node", setupFilesAfterEnv: ["./setup.js"] };
