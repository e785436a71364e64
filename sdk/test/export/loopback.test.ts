import { describe, expect, it } from "vitest";
import { isLoopback } from "../../src/export/loopback.js";

describe("isLoopback()", () => {
  it.each([
    "http://localhost",
    "http://LOCALHOST:8080/v1/telemetry",
    "http://localhost.:8080",
    "http://obspan.localhost",
    "https://127.0.0.1:8443",
    "http://127.1",
    "http://127.8.9.10",
    "http://[::1]:8080",
    "http://[0:0:0:0:0:0:0:1]",
  ])("%s is on the same machine", (url) => {
    expect(isLoopback(new URL(url))).toBe(true);
  });

  it.each([
    "http://collector:8080",
    "https://obspan.example.com",
    "http://localhost.example.com",
    "http://mylocalhost",
    "http://127.0.0.1.example.com",
    "http://10.0.0.1",
    "http://128.0.0.1",
    "http://[::2]",
    "http://0.0.0.0",
  ])("%s is on another machine", (url) => {
    expect(isLoopback(new URL(url))).toBe(false);
  });
});
