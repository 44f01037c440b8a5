import { describe, expect, it } from '@jest/globals';
import { textOfFile } from './file-text.js';

const bytes = (...parts: readonly (string | number | Uint8Array)[]): ArrayBuffer =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part)))))
    .buffer;
const TEXT = 'Phone,Name\n+14155550123,José 🌻\n';

describe('the text of a file', () => {
  it('is read from UTF-8, and from UTF-16 that says so, without the mark', () => {
    const little = Buffer.from(TEXT, 'utf16le');
    expect(textOfFile(bytes(TEXT))).toBe(TEXT);
    expect(textOfFile(bytes(0xef, 0xbb, 0xbf, TEXT))).toBe(TEXT);
    expect(textOfFile(bytes(0xff, 0xfe, little))).toBe(TEXT);
    expect(textOfFile(bytes(0xfe, 0xff, Buffer.from(little).swap16()))).toBe(TEXT);
    expect(textOfFile(bytes())).toBe('');
  });

  it.each([
    ['Windows-1252', bytes(Buffer.from('Phone,Name\n+14155550123,José\n', 'latin1'))],
    ['UTF-16 without a mark', bytes(Buffer.from('Phone,Name\n', 'utf16le'))],
    ['half a character of UTF-16', bytes(0xff, 0xfe, 0x41, 0x00, 0x42)],
    ['half a pair of surrogates', bytes(0xff, 0xfe, 0x3d, 0xd8, 0x41, 0x00)],
    ['half a character of UTF-8', bytes('Jos', 0xc3)],
  ])('is refused in %s: no letter is replaced', (_encoding, file) => {
    expect(() => textOfFile(file)).toThrow(/^The file is not in UTF-8/);
  });
});
