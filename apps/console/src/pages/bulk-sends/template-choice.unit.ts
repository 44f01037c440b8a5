import { describe, expect, it } from '@jest/globals';
import type { Template } from '../../api/api.generated.js';
import { nothingFoundWords, optionsOf, searchOf } from './template-choice.js';

const template = (id: string, name: string, language = 'en', businessAccountId = '11') =>
  ({ id, name, language, businessAccountId }) as Template;

describe('the choice of a template', () => {
  const [order, greeting] = [template('1', 'order'), template('2', 'greeting', 'de')];

  it('offers each of the first, the found and the linked templates once', () => {
    expect(optionsOf([order], [greeting, order], [greeting])).toEqual([
      { value: '1', label: 'order (en)' },
      { value: '2', label: 'greeting (de)' },
    ]);
  });

  it('says the account where two accounts have the same template', () => {
    expect(optionsOf([order, greeting], [template('3', 'order', 'en', '22')])).toEqual([
      { value: '1', label: 'order (en, account 11)' },
      { value: '2', label: 'greeting (de)' },
      { value: '3', label: 'order (en, account 22)' },
    ]);
  });

  it('searches for the name that was typed, also out of a label', () => {
    expect(searchOf(' gree ', order)).toBe('gree');
    expect(searchOf('greeting (d', undefined)).toBe('greeting');
  });

  it('searches for nothing while the field is empty or holds the label of the chosen one', () => {
    expect(searchOf(' ', undefined)).toBeUndefined();
    expect(searchOf('order (en)', order)).toBeUndefined();
    expect(searchOf('order (en, account 11)', order)).toBeUndefined();
    expect(searchOf('order (en, account 22)', order)).toBe('order');
  });

  it('says that none fits only once all were searched', () => {
    expect(nothingFoundWords({ isSearching: true, hasFailed: false })).toBe('Searching…');
    expect(nothingFoundWords({ isSearching: false, hasFailed: true })).toBe('The templates could not be searched');
    expect(nothingFoundWords({ isSearching: false, hasFailed: false })).toBe('No approved template fits');
  });
});
