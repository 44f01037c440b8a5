import { describe, expect, it } from '@jest/globals';
import { hasVisible, isOneLine, oneLinePattern } from './one-line.js';

const everyCharacter = (form: RegExp): readonly string[] => {
  const codes = Array.from({ length: 0x110000 }, (_nothing, code) => String.fromCodePoint(code));
  return codes.filter((character) => form.test(character));
};

describe('a line', () => {
  const blank = everyCharacter(/[\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u);

  it('has something to see: no blank and no character that is not drawn is enough', () => {
    expect(blank.filter((character) => hasVisible(character) || isOneLine(character))).toEqual([]);
    expect(hasVisible(blank.join(''))).toBe(false);
    for (const seen of ['a', '\u0301', '\u{1f469}\u200d\u{1f467}', '\u05d0\u200f', ' .', '0'])
      expect(isOneLine(seen)).toBe(true);
  });

  it('is described as it is read, but for what lies behind the first plane', () => {
    const described = new RegExp(oneLinePattern, 'u');
    const differing = everyCharacter(/[^\p{Cs}]/u).filter(
      (character) => described.test(character) !== isOneLine(character),
    );
    expect(differing.filter((character) => character.length === 1)).toEqual([]);
    expect(differing.every((character) => blank.includes(character))).toBe(true);
    expect(described.test('\u2060a\u2060')).toBe(true);
    expect(described.test('a\n')).toBe(false);
  });
});
