/**
 * An id of ours as it travels; which form ours have exactly, `cuidGenerator` says.
 *
 * @pattern ^c[0-9a-z]{6,31}$
 */
export type Cuid = string;

/** What a generator of ids needs from the outside: injected, so that tests own time and chance. */
export interface CuidSource {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Fills the array with random bytes from a CSPRNG. */
  fill(bytes: Uint8Array): void;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const TIME_LENGTH = 8;
const RANDOM_LENGTH = 16;
const FORMAT = /^c[0-9a-z]{6,31}$/;
/** The largest multiple of 36 below 256: bytes from there on would favour the first letters. */
const FAIR_BYTE_MAX = 252;
const STEP_BACK_MAX_MS = 60_000;
const LAST_MS = 36 ** TIME_LENGTH - 1;

/** The regular expression that `isCuid` holds a text to. */
export const cuidPattern = FORMAT.source;

const systemSource: CuidSource = {
  now: () => Date.now(),
  fill: (bytes) => void globalThis.crypto.getRandomValues(bytes),
};

/**
 * Makes a generator of cuids: `c`, 8 base-36 characters of the milliseconds, 16 random characters of `[0-9a-z]`.
 *
 * Ids of one generator only grow, also within one millisecond and when the clock steps back by up to a minute.
 * Source: docs/api-behaviour.md#ids.
 */
export function cuidGenerator(source: CuidSource = systemSource): () => string {
  let lastMs = -1;
  let random: number[] = [];
  return () => {
    const clockMs = source.now();
    // A clock that was far ahead and came back is believed: else ids would lie in the future until a restart.
    const nowMs = lastMs - clockMs > STEP_BACK_MAX_MS ? clockMs : Math.max(clockMs, lastMs);
    if (nowMs === lastMs && increment(random)) return format(nowMs, random);
    lastMs = nowMs === lastMs ? nowMs + 1 : nowMs;
    random = drawLetters(source);
    return format(lastMs, random);
  };
}

/** The process's own generator; everything that mints an id in production calls this. */
export const newCuid: () => string = cuidGenerator();

const givenTime = { ...systemSource, ms: 0, now: () => Math.floor(givenTime.ms) };
const nextOfGivenTime = cuidGenerator(givenTime);

/** An id of this process that carries a moment of another clock, such as the database's. @param timeMs since the Unix epoch */
export function newCuidAt(timeMs: number): string {
  givenTime.ms = timeMs;
  return nextOfGivenTime();
}

/** True for what the API accepts as an id: `^c[0-9a-z]{6,31}$`. */
export function isCuid(value: unknown): value is string {
  return typeof value === 'string' && FORMAT.test(value);
}

/** The moment that a cuid of ours carries; what `createdAt` shows. */
export function cuidTime(cuid: string): Date {
  return new Date(Number.parseInt(cuid.slice(1, 1 + TIME_LENGTH), 36));
}

/**
 * The smallest cuid of a moment: bounds of partitions and of time ranges over ids. A moment outside of what ids can carry (1970
 * to 2059) is its first or last one: a ninth character, or a sign, would sort among ids of the present.
 */
export function cuidFloor(time: Date): string {
  return 'c' + Math.min(Math.max(time.getTime(), 0), LAST_MS).toString(36).padStart(TIME_LENGTH, '0');
}

function drawLetters(source: CuidSource): number[] {
  const letters: number[] = [];
  const bytes = new Uint8Array(RANDOM_LENGTH + 8);
  while (letters.length < RANDOM_LENGTH) {
    source.fill(bytes);
    for (const byte of bytes) {
      if (byte < FAIR_BYTE_MAX && letters.length < RANDOM_LENGTH) letters.push(byte % ALPHABET.length);
    }
  }
  return letters;
}

/** Adds one to the random part; false when it overflowed, so that the caller takes the next millisecond. */
function increment(letters: number[]): boolean {
  for (let place = letters.length - 1; place >= 0; place--) {
    const digit = letters[place] ?? 0;
    if (digit < ALPHABET.length - 1) {
      letters[place] = digit + 1;
      return true;
    }
    letters[place] = 0;
  }
  return false;
}

function format(timeMs: number, letters: readonly number[]): string {
  let text = 'c' + timeMs.toString(36).padStart(TIME_LENGTH, '0');
  for (const letter of letters) text += ALPHABET[letter];
  return text;
}
