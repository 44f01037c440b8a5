import { describe, expect, it } from '@jest/globals';
import { foldForSearch, searchTextOf } from '../contact/contact.policy.js';
import { searchTerm } from './search.policy.js';

const gramsOf = (term: string): readonly string[] => searchTerm(term).grams;

describe('a term', () => {
  it('is the three characters at every place of it, folded', () => {
    expect(searchTerm('Anna')).toEqual({ text: 'ANNA', grams: ['ANN', 'NNA'] });
    expect(gramsOf('ababab')).toEqual(['ABA', 'BAB']);
    expect(gramsOf('😀é1x')).toEqual(['😀É1', 'É1X']);
  });

  it('is looked at in sixteen places when it is long', () => {
    const long = Array.from({ length: 200 }, (_, n) => String.fromCharCode(0x4e00 + n)).join('');
    expect(gramsOf(long)).toHaveLength(16);
    expect(gramsOf(long).every((gram) => gram.length === 3 && long.includes(gram))).toBe(true);
  });

  it('of one or two characters, however many bytes they take, is one', () => {
    expect(gramsOf('an')).toEqual(['AN']);
    expect(gramsOf('😀')).toEqual(['😀']);
  });

  it('and a contact are folded alike: case in every script, composed letters, nothing across two fields', () => {
    expect(foldForSearch('José Straße Ольга')).toBe(foldForSearch('JOSE\u0301 STRASSE ольга'));
    // Greek lower case has a letter of its own at the end of a word.
    expect(foldForSearch('ΟΔΟΣ')).toBe(foldForSearch('οδος'));
    for (const name of ['İbrahim Işık', 'ibrahim ışık', 'İBRAHİM IŞIK', 'i\u0307brahim işik', 'IBRAHIM IŞIK']) {
      expect(foldForSearch(name)).toBe('IBRAHIM IŞIK');
    }
    expect(foldForSearch('Große GROẞE')).toBe('GROSSE GROSSE');
    const text = searchTextOf({ name: 'Ana\u001e\u001f', phone: '+12015550123', email: 'a@example.com' });
    expect(text).toBe('ANA  \u001f+12015550123\u001fA@EXAMPLE.COM');
    expect(text).not.toContain(foldForSearch('a\u001f+1'));
  });
});
