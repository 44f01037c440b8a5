import { describe, expect, it } from '@jest/globals';
import { acceptsCsv } from './accepts-csv.policy.js';

describe('CSV', () => {
  it.each([
    'text/csv',
    'TEXT/CSV; charset=utf-8',
    'text/csv, */*',
    'text/*',
    'application/json;q=0.1, text/csv',
    'application/json;q=0, */*',
    'text/csv;q=0.5, */*;q=0.5',
  ])('answers %s', (accept) => expect(acceptsCsv(accept)).toBe(true));

  it.each([
    '',
    '*/*',
    'application/json',
    'application/json, text/csv',
    'text/csv;q=0',
    'text/csv;q=0, */*',
    'text/csv;q=0.4, application/*;q=0.5',
    'text/html',
    'text/csvx',
  ])('does not answer %p', (accept) => expect(acceptsCsv(accept)).toBe(false));
});
