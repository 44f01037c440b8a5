/** Counts the requests to send that are open now: their head has been read and their connection still waits. */
export class OpenRequests {
  #open = 0;
  #highWater = 0;

  /** A request came. */
  enter(): void {
    this.#open += 1;
    if (this.#open > this.#highWater) this.#highWater = this.#open;
  }

  /** It was answered, or its connection ended. */
  leave(): void {
    this.#open -= 1;
  }

  /** Requests open now, and the most at once since the start or the last `reset`. */
  snapshot(): { readonly open: number; readonly highWater: number } {
    return { open: this.#open, highWater: this.#highWater };
  }

  /** Lets the high-water mark begin again at the present level. */
  reset(): void {
    this.#highWater = this.#open;
  }
}
