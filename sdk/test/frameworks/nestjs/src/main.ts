import type { IncomingMessage } from "node:http";
import { NestFactory } from "@nestjs/core";
import { configure, withTrace } from "@obspan/sdk";
import { AppModule } from "./app.module.js";

configure({ service: "shop", pushUrl: "http://127.0.0.1:8080" });

const app = await NestFactory.create(AppModule);
app.use((request: IncomingMessage, _response: unknown, next: () => void) =>
  withTrace(request.headers.traceparent, next),
);
app.enableShutdownHooks();
await app.listen(process.env.PORT ?? 3000);
