/** The client disconnected before the request or the response was complete. No response is possible. */
export class RequestAborted extends Error {
  override readonly name = "RequestAborted";
}
