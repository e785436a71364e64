const { configureOnce, shutdown } = require("@obspan/sdk");

configureOnce({ service: "shop-tests", pushUrl: "http://127.0.0.1:8080" });
afterAll(() => shutdown());
