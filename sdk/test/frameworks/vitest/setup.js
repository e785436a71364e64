import { configureOnce, flush } from "@obspan/sdk";
import { afterAll } from "vitest";

configureOnce({ service: "shop-tests", pushUrl: "http://127.0.0.1:8080" });
afterAll(() => flush());
