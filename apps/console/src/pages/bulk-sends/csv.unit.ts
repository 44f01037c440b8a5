import { describe, expect, it } from '@jest/globals';
import { parseCsv } from './csv.js';

describe('a file with recipients', () => {
  it('has as many rows at most as a bulk send takes', () => {
    const file = (rows: number): string => `Phone\n${'+14155550123\n'.repeat(rows)}`;
    expect(parseCsv(file(100_000)).rows).toHaveLength(100_000);
    expect(() => parseCsv(file(100_001))).toThrow('The file has 100,001 rows; a bulk send takes 100,000 at most.');
  });

  it.each(['Phone,Name', 'Phone,Name\n\n,,\n'])('has at least one row: %j has none', (text) => {
    expect(() => parseCsv(text)).toThrow('The file has headings, but no row with a recipient below them.');
  });

  it('may name its delimiter in a line of its own, as spreadsheets write it', () => {
    expect(parseCsv('\uFEFFsep=;\r\nPhone;Note\r\n+1415;a, b, c\r\n')).toEqual({
      headings: ['Phone', 'Note'],
      rows: [{ line: 3, cells: ['+1415', 'a, b, c'] }],
    });
  });

  it('counts lines as editors do, past empty ones and cells of several lines', () => {
    const { headings, rows } = parseCsv('\uFEFFPhone,Note\n\n+1415,"a\nb"\n +1416 ,c\n');
    expect(headings).toEqual(['Phone', 'Note']);
    expect(rows).toEqual([
      { line: 3, cells: ['+1415', 'a\nb'] },
      { line: 5, cells: ['+1416', 'c'] },
    ]);
  });
});
