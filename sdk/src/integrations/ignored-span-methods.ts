/** Methods of a span of OpenTelemetry that change nothing in a span of the SDK. */
export abstract class IgnoredSpanMethods {
  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  setStatus(): this {
    return this;
  }

  updateName(): this {
    return this;
  }
}
