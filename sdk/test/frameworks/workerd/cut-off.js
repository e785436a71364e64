import { configureOnce, flush, observe, stats } from "@obspan/sdk";

/** Its requests end while their spans are being sent, because nothing tells the runtime to wait. */
export default {
  async fetch(request, env) {
    configureOnce({ pushUrl: env.OBS_PUSH_URL, timeout: 0.5, batchSize: 1 });
    const { pathname } = new URL(request.url);
    if (pathname === "/flush") await flush();
    else if (pathname !== "/stats") observe(pathname, () => undefined);
    if (pathname === "/forget") void flush();
    return Response.json(stats());
  },
};
