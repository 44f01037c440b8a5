import { describe, expect, it } from '@jest/globals';
import { conversationStatuses, type ConversationStatus } from '@switchboard/contracts/messaging/http';
import {
  isAllowedTransition,
  isSameState,
  reopenedByInbound,
  type ConversationState,
} from './conversation-status.policy.js';

/** The table of docs/api-behaviour.md#conversation-status, as it is written there. */
const TABLE = `
  |          | OPEN  | PENDING | SNOOZED  | CLOSED | ARCHIVED |
  | OPEN     | no-op | yes     | yes      | yes    | no       |
  | PENDING  | yes   | no-op   | yes      | yes    | no       |
  | SNOOZED  | yes   | yes     | new time | yes    | no       |
  | CLOSED   | yes   | no      | no       | no-op  | yes      |
  | ARCHIVED | yes   | no      | no       | no     | no-op    |
`;

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe('the status of a conversation', () => {
  const [head = [], ...rows] = TABLE.trim().split('\n').map(cellsOf);
  const cases = rows.flatMap(([from = '', ...cells]) => cells.map((cell, index) => [from, head[index + 1], cell]));

  it('has a cell for every pair', () => {
    const pairs = conversationStatuses.flatMap((from) => conversationStatuses.map((to) => `${from} ${to}`));
    expect(cases.map(([from, to]) => `${from} ${to}`).sort()).toEqual(pairs.sort());
  });

  it.each(cases as [ConversationStatus, ConversationStatus, string][])('%s to %s by hand: %s', (from, to, cell) => {
    expect(isAllowedTransition(from, to)).toBe(cell !== 'no');
    const unmoved = isSameState({ status: from, snoozedUntil: null }, { status: to, snoozedUntil: null });
    expect(unmoved).toBe(cell === 'no-op' || cell === 'new time');
  });

  it('moves by an inbound message from PENDING, SNOOZED and CLOSED, and from nothing else', () => {
    expect(conversationStatuses.filter((status) => reopenedByInbound.includes(status))).toEqual([
      'CLOSED',
      'PENDING',
      'SNOOZED',
    ]);
  });

  it('is another state with another end of the snooze, with none instead of one, and with one instead of none', () => {
    const until = (text: string | null): ConversationState => ({
      status: 'SNOOZED',
      snoozedUntil: text === null ? null : new Date(text),
    });
    expect(isSameState(until('2030-01-01T00:00:00Z'), until('2030-01-01T00:00:00.000Z'))).toBe(true);
    expect(isSameState(until('2030-01-01T00:00:00Z'), until('2030-01-01T00:00:00.001Z'))).toBe(false);
    expect(isSameState(until('2030-01-01T00:00:00Z'), until(null))).toBe(false);
    expect(isSameState(until(null), until('2030-01-01T00:00:00Z'))).toBe(false);
  });
});
