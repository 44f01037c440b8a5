import { describe, expect, it } from '@jest/globals';
import { inRows, mapRecipients } from './recipients.js';

const table = {
  headings: ['Phone', 'Name'],
  rows: [
    { line: 2, cells: ['+14155550100', 'Ada'] },
    { line: 4, cells: ['nonsense', 'Bob'] },
    { line: 5, cells: ['+1999', 'Eve'] },
    { line: 6, cells: ['+14155550101', ''] },
    { line: 7, cells: ['+14155550102', 'Jos\ufffd'] },
  ],
};
const { recipients, faults } = mapRecipients(table, { to: 0, variables: [1] }, {
  variables: [{ name: '1' }],
} as unknown as Parameters<typeof mapRecipients>[2]);

describe('recipients of a file', () => {
  it('have faults by the number of their row', () => {
    expect(faults).toEqual([
      { line: 4, problem: '“nonsense” is no phone number' },
      { line: 6, problem: 'has no value for {{1}}' },
      { line: 7, problem: 'has “\ufffd” for {{1}}: a letter was lost when the file was saved' },
    ]);
  });

  it('that the API refuses are named by their row, not by their place in the request', () => {
    expect(inRows('`recipients[1].to` must be a phone number; `recipients[0].variables` is no list', recipients)).toBe(
      'Row 5 “+1999” must be a phone number; Row 2 `variables` is no list',
    );
    expect(inRows('`recipients[7].to` and `recipients` and `to`', recipients)).toBe(
      '`recipients[7].to` and `recipients` and `to`',
    );
  });
});
