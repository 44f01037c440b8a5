import { describe, expect, it } from '@jest/globals';
import { foldForSearch, searchTextOf } from '../contact/contact.policy.js';
import { gramsQuery, nextWalk, searchTerm } from './search.policy.js';

const queryOf = (term: string, frequencies: Record<string, number> = {}): string =>
  gramsQuery(searchTerm('corganization1', term), new Map(Object.entries(frequencies)));

describe('a term', () => {
  it('is its grams in the index, each led by the end of the organization’s id', () => {
    expect(searchTerm('corganization1', 'Anna')).toEqual({ text: 'ANNA', grams: ['ANN', 'NNA'], mark: 'ation1' });
    expect(queryOf('Anna')).toBe("'ation1ANN' & 'ation1NNA'");
    expect(queryOf('ababab')).toBe("'ation1ABA' & 'ation1BAB'");
  });

  it('asks for its four rarest grams when it has more, and looks at sixteen of a long one', () => {
    expect(queryOf('abcdefgh', { ABC: 9, BCD: 1, DEF: 500 })).toBe(
      "'ation1CDE' & 'ation1EFG' & 'ation1FGH' & 'ation1BCD'",
    );
    const long = searchTerm(
      'corganization1',
      Array.from({ length: 200 }, (_, n) => String.fromCharCode(0x4e00 + n)).join(''),
    );
    expect(long.grams).toHaveLength(16);
    expect(long.grams.every((gram) => long.text.includes(gram))).toBe(true);
  });

  it('of one or two characters, however many bytes they take, is the beginning of a gram', () => {
    expect(queryOf('an')).toBe("'ation1AN':*");
    expect(queryOf('😀')).toBe("'ation1😀':*");
  });

  it('may hold what a tsquery or a pattern would take for a sign', () => {
    expect(queryOf(`a'\\&|`)).toBe("'ation1A''\\\\' & 'ation1''\\\\&' & 'ation1\\\\&|'");
    expect(queryOf('!:*')).toBe("'ation1!:*'");
    expect(searchTerm('corganization1', '50%_').text).toBe('50%_');
  });

  it('and a contact are folded alike: case in every script, composed letters, nothing across two fields', () => {
    expect(foldForSearch('José Straße Ольга')).toBe(foldForSearch('JOSE\u0301 STRASSE ольга'));
    // Greek lower case has a letter of its own at the end of a word.
    expect(foldForSearch('ΟΔΟΣ')).toBe(foldForSearch('οδος'));
    const text = searchTextOf({ name: 'Ana\u001f', phone: '+12015550123', email: 'a@example.com' });
    expect(text).toBe('ANA \u001f+12015550123\u001fA@EXAMPLE.COM');
    expect(text).not.toContain(foldForSearch('a\u001f+1'));
  });
});

describe('a search', () => {
  it('goes on walking while the page will soon be full, and else asks the index', () => {
    expect(nextWalk({ walked: 2_000, found: 20, wanted: 26 })).toBe(1_000);
    expect(nextWalk({ walked: 4_000, found: 13, wanted: 26 })).toBe(6_000);
    expect(nextWalk({ walked: 1_000, found: 2, wanted: 26 })).toBe(2_000);
    expect(nextWalk({ walked: 1_000, found: 0, wanted: 26 })).toBe(0);
    expect(nextWalk({ walked: 1_000, found: 1, wanted: 26 })).toBe(0);
    expect(nextWalk({ walked: 1_000, found: 3, wanted: 101 })).toBe(2_000);
    expect(nextWalk({ walked: 3_000, found: 5, wanted: 101 })).toBe(0);
  });

  it('walks at most 4,000 contacts times the root of what is wanted', () => {
    for (let found = 0; found < 26; found++) {
      let walked = 1_000;
      for (let rows = 1; rows > 0; walked += rows) rows = nextWalk({ walked, found, wanted: 26 });
      expect(walked).toBeLessThanOrEqual(4_000 * Math.sqrt(26) + 1);
    }
  });
});
