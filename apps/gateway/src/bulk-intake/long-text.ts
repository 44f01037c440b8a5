/** Longer than any text that a field of a bulk send takes, however it is escaped. */
export const LONG_TEXT_BYTES = 16 * 1_024;
/** In place of a long text: too long for every field as well. */
const SUBSTITUTE = 'x'.repeat(2_048);
/** As JSON has it between quotation marks, but for control characters. */
const TEXT = /(?:[^\\"]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const LEADING_SURROGATE = /\\u[dD][89abAB][0-9a-fA-F]{2}$/;
/** The longest end of a piece that may be the beginning of an escape: half a pair of surrogates, and of the other half all but a digit. */
const CARRIED_MAX = 11;

/**
 * A text of JSON that is far too long for what may be sent, as it comes in pieces: it is read and not kept. Something shorter stands for
 * it, which is wrong where it was wrong.
 */
export class LongText {
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private carried = '';
  private fault: 'json' | 'utf8' | 'character' | null = null;

  /** @param bytes between the quotation marks */
  add(bytes: Uint8Array): void {
    if (this.fault === 'json' || this.fault === 'utf8') return;
    const text = this.decode(bytes, { stream: true });
    if (text !== null) this.check(text, { isEnd: false });
  }

  /** @returns its substitute, between quotation marks */
  end(): Buffer {
    const text = this.decode(new Uint8Array(), { stream: false });
    if (text !== null) this.check(text, { isEnd: true });
    if (this.fault === 'utf8') return Buffer.concat([Buffer.from(SUBSTITUTE), Buffer.of(0xff)]);
    if (this.fault === 'json') return Buffer.from(`${SUBSTITUTE}\n`);
    return Buffer.from(this.fault === 'character' ? `${SUBSTITUTE}\\u0000` : SUBSTITUTE);
  }

  private decode(bytes: Uint8Array, options: { readonly stream: boolean }): string | null {
    try {
      return this.utf8.decode(bytes, options);
    } catch {
      this.fault = 'utf8';
      return null;
    }
  }

  private check(text: string, { isEnd }: { readonly isEnd: boolean }): void {
    if (this.fault === 'json' || this.fault === 'utf8') return;
    const known = this.carried + text;
    TEXT.lastIndex = 0;
    const [matched = ''] = TEXT.exec(known) ?? [];
    const whole = isEnd ? matched : matched.replace(LEADING_SURROGATE, '');
    this.carried = known.slice(whole.length);
    if (this.carried.length > (isEnd ? 0 : CARRIED_MAX)) this.fault = 'json';
    else this.fault = faultOf(whole) ?? this.fault;
  }
}

/** As `JSON.parse` and `checkJson` find it. */
function faultOf(text: string): 'json' | 'character' | null {
  try {
    const read = JSON.parse(`"${text}"`) as string;
    return read.isWellFormed() && !read.includes('\0') ? null : 'character';
  } catch {
    return 'json';
  }
}
