import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { GrowingBuffer } from '../http/growing-buffer.js';
import { LONG_TEXT_BYTES, LongText } from './long-text.js';

/** What of a body is held at once. */
export interface SplitLimits {
  /** Of one element. */
  readonly elementBytesMax: number;
  /** Of all that is no element. */
  readonly restBytesMax: number;
}

const [QUOTE, COMMA, COLON, BACKSLASH, ZERO] = [0x22, 0x2c, 0x3a, 0x5c, 0x30];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Splits a JSON object that comes in pieces into the elements of its one long array and the rest, in which each
 * element is replaced by `0`.
 *
 * It decides nothing about JSON itself: the elements and the rest are texts for `JSON.parse`, and the body is well-formed
 * exactly when all of them are. White space outside of strings is shortened to one character, and something shorter stands
 * for a text that is longer than any field takes. ADR 0043.
 */
export class ElementSplitter {
  /** How often the array was given. */
  arrays = 0;
  private state: 'rest' | 'string' | 'array' | 'nested' | 'nested-string' | 'text' | 'scalar' = 'rest';
  private isEscaped = false;
  /** Where the present text begins in what it belongs to, behind its quotation mark; and the text, once it is long. */
  private textStart = 0;
  private long: LongText | null = null;
  /** Open brackets: of the rest, and of the element. */
  private depth = 0;
  private elementDepth = 0;
  private readonly rest: GrowingBuffer;
  private readonly element: GrowingBuffer;
  /** Where the last string of the rest begins and ends. */
  private stringStart = 0;
  private stringEnd = 0;
  /** The last two characters of the rest that are no white space. */
  private last = 0;
  private beforeLast = 0;

  constructor(
    private readonly arrayName: string,
    { elementBytesMax, restBytesMax }: SplitLimits,
    private readonly onElement: (text: Buffer) => void,
  ) {
    this.element = new GrowingBuffer(elementBytesMax, `One of \`${arrayName}\` exceeds ${elementBytesMax} bytes`);
    this.rest = new GrowingBuffer(restBytesMax, `The body without \`${arrayName}\` exceeds ${restBytesMax} bytes`);
  }

  /** @throws AppError PAYLOAD_TOO_LARGE, and what `onElement` throws */
  push(piece: Buffer): void {
    let index = 0;
    while (index < piece.length) index = this.step(piece, index);
  }

  /** The rest of the body that has ended. @throws AppError MALFORMED_BODY within an element */
  end(): Buffer {
    if (this.state !== 'rest') throw new AppError(gatewayErrors.MALFORMED_BODY);
    return this.rest.take();
  }

  /** @returns where to go on */
  private step(piece: Buffer, index: number): number {
    if (this.state === 'rest' || this.state === 'array') return this.outside(piece[index] ?? 0, index);
    if (this.state === 'string') return this.inString(piece, index, this.rest, 'rest');
    if (this.state === 'nested-string') return this.inString(piece, index, this.element, 'nested');
    if (this.state === 'text') return this.inString(piece, index, this.element, 'array');
    return this.state === 'nested' ? this.inNested(piece, index) : this.inScalar(piece, index);
  }

  /** Takes a byte that is in no string and no element. */
  private outside(byte: number, index: number): number {
    if (this.state === 'array' && byte !== COMMA && byte !== CLOSE_ARRAY && !isSpace(byte)) {
      this.rest.add(ZERO);
      return this.beginElement(byte, index);
    }
    if (isSpace(byte)) {
      if (!isSpace(this.rest.lastByte)) this.rest.add(byte);
      return index + 1;
    }
    this.rest.add(byte);
    if (byte === QUOTE) {
      this.state = 'string';
      this.stringStart = this.rest.length - 1;
      this.textStart = this.rest.length;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.depth++;
      if (byte === OPEN_ARRAY && this.isTheArray()) {
        this.arrays++;
        this.state = 'array';
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.depth--;
      this.state = 'rest';
    }
    this.note(byte);
    return index + 1;
  }

  private note(byte: number): void {
    this.beforeLast = this.last;
    this.last = byte;
  }

  /** True where a bracket follows the name of the array and a colon, in the outermost object. */
  private isTheArray(): boolean {
    if (this.depth !== 2 || this.last !== COLON || this.beforeLast !== QUOTE) return false;
    try {
      return JSON.parse(this.rest.text(this.stringStart, this.stringEnd)) === this.arrayName;
    } catch {
      // No string at all: the rest is malformed, and found to be at the end.
      return false;
    }
  }

  private beginElement(byte: number, index: number): number {
    this.elementDepth = 0;
    if (byte === QUOTE) {
      this.element.add(byte);
      this.textStart = this.element.length;
      this.state = 'text';
      return index + 1;
    }
    this.state = byte === OPEN_OBJECT || byte === OPEN_ARRAY ? 'nested' : 'scalar';
    return index;
  }

  private endElement(): void {
    this.state = 'array';
    this.onElement(this.element.take());
  }

  private inNested(piece: Buffer, from: number): number {
    for (let index = from; index < piece.length; index++) {
      const byte = piece[index];
      if (byte === QUOTE) {
        this.element.addAll(piece, from, index + 1);
        this.textStart = this.element.length;
        this.state = 'nested-string';
        return index + 1;
      }
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.elementDepth++;
      if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --this.elementDepth === 0) {
        this.element.addAll(piece, from, index + 1);
        this.endElement();
        return index + 1;
      }
    }
    this.element.addAll(piece, from, piece.length);
    return piece.length;
  }

  /** Numbers, words, and whatever is no JSON. */
  private inScalar(piece: Buffer, from: number): number {
    let index = from;
    for (; index < piece.length; index++) {
      const byte = piece[index] ?? 0;
      if (byte === COMMA || byte === CLOSE_ARRAY || isSpace(byte)) break;
    }
    this.element.addAll(piece, from, index);
    if (index < piece.length) this.endElement();
    return index;
  }

  private inString(piece: Buffer, from: number, into: GrowingBuffer, after: 'rest' | 'nested' | 'array'): number {
    let index = from;
    if (this.isEscaped) {
      this.isEscaped = false;
      index++;
    }
    for (; index < piece.length; index++) {
      const byte = piece[index];
      if (byte === BACKSLASH) {
        index++;
        if (index >= piece.length) this.isEscaped = true;
      } else if (byte === QUOTE) {
        this.addText(piece, from, index, into);
        this.endText(into);
        this.state = after;
        if (after === 'rest') {
          this.stringEnd = this.rest.length;
          this.note(QUOTE);
        }
        if (after === 'array') this.endElement();
        return index + 1;
      }
    }
    this.addText(piece, from, piece.length, into);
    return piece.length;
  }

  private addText(piece: Buffer, from: number, end: number, into: GrowingBuffer): void {
    if (!this.long && into.length - this.textStart + (end - from) > LONG_TEXT_BYTES) {
      this.long = new LongText();
      this.long.add(into.cut(this.textStart));
    }
    if (this.long) this.long.add(piece.subarray(from, end));
    else into.addAll(piece, from, end);
  }

  private endText(into: GrowingBuffer): void {
    const text = this.long?.end();
    this.long = null;
    if (text) into.addAll(text, 0, text.length);
    into.add(QUOTE);
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
