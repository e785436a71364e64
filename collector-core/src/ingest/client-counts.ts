/** Counts what each client has open. A client without anything is forgotten. */
export class ClientCounts {
  readonly #counts = new Map<string, number>();

  /** @param client - a result of `clientNetwork`. */
  of(client: string): number {
    return this.#counts.get(client) ?? 0;
  }

  add(client: string): void {
    this.#counts.set(client, this.of(client) + 1);
  }

  remove(client: string): void {
    const left = this.of(client) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}
