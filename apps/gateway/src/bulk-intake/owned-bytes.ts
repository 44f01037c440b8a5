/**
 * The bytes with memory of their own, which can be handed over to another thread or released: the very ones where nothing
 * else lies in it, as with the pieces of Node's HTTP parser; else a copy.
 */
export function ownedBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/**
 * Gives memory back at once. The collector would do so after tens of megabytes: it sees a small object, and the hundreds
 * of megabytes that pass through a gateway with ten large bodies are all of this kind.
 */
export function release(memory: ArrayBuffer): void {
  memory.transfer(0);
}
