import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keywordIn, spokenPreference } from './preference.policy.js';

const KEYWORDS = 'STOP STOPALL UNSUBSCRIBE CANCEL END QUIT REVOKE OPTOUT'.split(' ');

/** What people put around a word: nothing of it is a letter or a digit. */
const decoration = fc
  .array(
    fc.constantFrom(' ', '\n', '\t', '\u00a0', '\u3000', '\u200b', '!', '¡', '¿', '.', '…', '"', '»', '（', '。'),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const emoji = fc.constantFrom('🛑', '❤️', '👩🏽‍💻', '🇩🇪', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '™', '€', '+');
const around = fc.tuple(decoration, fc.option(emoji, { nil: '' }), decoration).map((parts) => parts.join(''));
/** Each letter in any case, plain or full-width. */
const spelled = (word: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...[...word].map((letter) =>
        fc.constantFrom(
          letter,
          letter.toLowerCase(),
          String.fromCharCode(letter.charCodeAt(0) + 0xfee0),
          String.fromCharCode(letter.toLowerCase().charCodeAt(0) + 0xfee0),
        ),
      ),
    )
    .map((letters) => letters.join(''));

describe('a keyword', () => {
  it('counts in any case and spelling, with any decoration around it', () => {
    const said = fc
      .constantFrom(...KEYWORDS)
      .chain((word) => fc.tuple(around, spelled(word), around))
      .map((parts) => parts.join(''));
    fc.assert(fc.property(said, (text) => expect([text, spokenPreference([text], [])]).toEqual([text, 'stop'])));
    for (const text of [
      'Stop.',
      ' ¡STOP! ',
      'stop\n',
      'STOP🛑',
      '"Unsubscribe"',
      'ＳＴＯＰ',
      'st\u00adop',
      'STOP\u0000',
    ]) {
      expect([text, spokenPreference([text], [])]).toEqual([text, 'stop']);
    }
    for (const text of ['start', 'UNSTOP', '(Subscribe)']) expect(spokenPreference([text], [])).toBe('start');
  });

  it('is none next to another letter or digit, in any position', () => {
    const letter = fc.constantFrom('a', 'Z', 'ß', 'я', '止', '7', 'é', 'ก');
    const said = fc.tuple(fc.constantFrom(...KEYWORDS), around, letter, fc.boolean());
    fc.assert(
      fc.property(said, ([word, between, other, isFirst]) => {
        const text = isFirst ? other + between + word : word + between + other;
        expect([text, spokenPreference([text], [])]).toEqual([text, null]);
      }),
    );
    for (const text of ['STOP this terrible bill', "don't stop", 'STOP STOP', 'S T O P', 'opt-out', '', '🛑', '...']) {
      expect([text, spokenPreference([text], [])]).toEqual([text, null]);
    }
  });

  it('of the channel counts in addition to those of all channels, compared in the same way; one without letters never does', () => {
    for (const text of ['BAJA', ' baja.', 'alto', 'STOP']) {
      expect([text, spokenPreference([text], ['baja', '¡Alto!'])]).toEqual([text, 'stop']);
    }
    expect(spokenPreference(['baja'], [])).toBeNull();
    expect(spokenPreference(['👍'], ['!!', ''])).toBeNull();
    expect(spokenPreference(['no more'], ['No   More'])).toBe('stop');
  });

  it('counts in the upper and lower case of its own language', () => {
    const turkish = ['iptal', 'IPTAL', '\u0130ptal', '\u0130PTAL', 'i\u0307ptal', 'I\u0307PTAL', '\u0131ptal'];
    const greek = ['διακοπή', 'ΔΙΑΚΟΠΗ', 'Διακοπή', 'ΔΙΑΚΟΠΉ', 'διακοπη\u0301'];
    for (const spellings of [turkish, greek]) {
      for (const [own, text] of spellings.flatMap((one) => spellings.map((other) => [one, other] as const))) {
        expect([own, text, spokenPreference([text], [own])]).toEqual([own, text, 'stop']);
      }
    }
    // A Turkish keyboard has no other I in capitals.
    for (const text of ['QU\u0130T', 'UNSUBSCR\u0130BE', 'unsubscr\u0131be']) {
      expect([text, spokenPreference([text], [])]).toEqual([text, 'stop']);
    }
    expect(spokenPreference(['SUBSCR\u0130BE'], [])).toBe('start');
  });

  it('is compared as one text whatever it is spelled like, also a second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const word = keywordIn(text);
        expect(keywordIn(word)).toBe(word);
        expect(keywordIn(`\u2026${text.normalize('NFD')} `)).toBe(word);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is not looked for in a long text, and no text takes long', () => {
    expect(spokenPreference([`${'!'.repeat(996)}STOP`], [])).toBe('stop');
    expect(spokenPreference([`${'!'.repeat(997)}STOP`], [])).toBeNull();
    const startedMs = performance.now();
    for (const part of ['!', ' ', '\u0301', 'a!', '\ufdfa']) keywordIn(part.repeat(100_000));
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});
