import { configureOnce } from "@obspan/sdk";

configureOnce({ service: "shop", pushUrl: "http://127.0.0.1:8080" });
