/** What the index keeps of a request: where its lines lie in the log, and when it came. */
export interface IndexedRequest {
  readonly arrivedAtMs: number;
  readonly arrivalOffset: number;
  readonly arrivalBytes: number;
  /** 0 bytes while there is no answer. */
  readonly answerOffset: number;
  readonly answerBytes: number;
}

const COLUMNS = 7;
const ARRIVED_AT = 0;
const ARRIVAL_OFFSET = 1;
const ARRIVAL_BYTES = 2;
const ANSWER_OFFSET = 3;
const ANSWER_BYTES = 4;
const REFERENCE = 5;
const RECIPIENT = 6;
const NONE = -1;

/**
 * Finds requests by position, reference and recipient. Bodies stay in the file: a request takes about 80 bytes here, so that
 * a million of them take 80 MB. References and recipients are kept as 53-bit hashes, which do not meet by chance in
 * such numbers (one in ten thousand for a million of them).
 */
export class RequestIndex {
  #rows = new Float64Array(1024 * COLUMNS);
  #size = 0;
  readonly #references = new Chains();
  readonly #recipients = new Chains();

  /** Number of requests; they are numbered from 0 in the order of their arrival. */
  get size(): number {
    return this.#size;
  }

  /** Adds a request and gives its number. */
  add(request: {
    readonly arrivedAtMs: number;
    readonly arrivalOffset: number;
    readonly arrivalBytes: number;
    readonly reference: string | null;
    readonly recipient: string;
  }): number {
    const number = this.#size;
    const at = number * COLUMNS;
    if (at === this.#rows.length) this.#rows = grown(this.#rows);
    const reference = request.reference === null ? NONE : hash53(request.reference);
    const recipient = hash53(request.recipient);
    const values = [request.arrivedAtMs, request.arrivalOffset, request.arrivalBytes, 0, 0, reference, recipient];
    this.#rows.set(values, at);
    this.#size += 1;
    this.#references.add(reference, number);
    this.#recipients.add(recipient, number);
    return number;
  }

  /** Notes where a request's answer lies. */
  answered(number: number, answerOffset: number, answerBytes: number): void {
    this.#rows[number * COLUMNS + ANSWER_OFFSET] = answerOffset;
    this.#rows[number * COLUMNS + ANSWER_BYTES] = answerBytes;
  }

  /** The request with a number below `size`. */
  get(number: number): IndexedRequest {
    return {
      arrivedAtMs: this.#value(number, ARRIVED_AT),
      arrivalOffset: this.#value(number, ARRIVAL_OFFSET),
      arrivalBytes: this.#value(number, ARRIVAL_BYTES),
      answerOffset: this.#value(number, ANSWER_OFFSET),
      answerBytes: this.#value(number, ANSWER_BYTES),
    };
  }

  /** Numbers of the requests with a reference, oldest first. */
  byReference(reference: string): readonly number[] {
    return this.#matching(this.#references, REFERENCE, hash53(reference));
  }

  /** Numbers of the requests to a recipient (as it was given to `add`), oldest first. */
  byRecipient(recipient: string): readonly number[] {
    return this.#matching(this.#recipients, RECIPIENT, hash53(recipient));
  }

  /** The number of the first request that arrived at or after a time; `size` when there is none. */
  firstSince(atMs: number): number {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#value(middle, ARRIVED_AT) < atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #matching(chains: Chains, column: number, hash: number): readonly number[] {
    return chains.candidates(hash).filter((number) => this.#value(number, column) === hash);
  }

  #value(number: number, column: number): number {
    return this.#rows[number * COLUMNS + column] ?? 0;
  }
}

/** Numbers chained by the low bits of a hash: the newest of each chain, and for every number the one before it. */
class Chains {
  #heads = new Int32Array(1024).fill(NONE);
  #previous = new Int32Array(1024);
  #hashes = new Float64Array(1024);
  #size = 0;

  add(hash: number, number: number): void {
    if (number === this.#previous.length) this.#grow();
    this.#hashes[number] = hash;
    this.#size = number + 1;
    this.#link(hash, number);
  }

  candidates(hash: number): number[] {
    const numbers: number[] = [];
    let number = this.#heads[hash & (this.#heads.length - 1)] ?? NONE;
    for (; number !== NONE; number = this.#previous[number] ?? NONE) numbers.push(number);
    return numbers.reverse();
  }

  #link(hash: number, number: number): void {
    if (hash === NONE) return;
    // `&` takes the low 32 bits of the 53, which is all that a bucket needs.
    const bucket = hash & (this.#heads.length - 1);
    this.#previous[number] = this.#heads[bucket] ?? NONE;
    this.#heads[bucket] = number;
  }

  #grow(): void {
    this.#hashes = grown(this.#hashes);
    this.#previous = new Int32Array(this.#hashes.length);
    this.#heads = new Int32Array(this.#hashes.length).fill(NONE);
    for (let number = 0; number < this.#size; number += 1) this.#link(this.#hashes[number] ?? NONE, number);
  }
}

function grown(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** Two rounds of multiplicative mixing, joined to the 53 bits that a number holds exactly. */
function hash53(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
