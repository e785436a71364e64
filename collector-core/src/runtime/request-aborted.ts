/** The client went away before its request was whole, or answered: there is nobody to answer. */
export class RequestAborted extends Error {
  override readonly name = "RequestAborted";
}
