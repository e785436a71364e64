import type { NextConfig } from "next";

const config: NextConfig = { output: "standalone" };
export default config;
