import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '../../api/api.generated.js';
import { isReplayed, lastEnabling, missedFrom } from './missed-events.js';

const entry = (sequence: number, action: string, before: object | null, after: object | null): AuditEntry =>
  ({ sequence, action, at: `2026-01-20T10:0${sequence}:00.000Z`, before, after }) as AuditEntry;
const deactivated = (sequence: number, id = 'c1') =>
  entry(sequence, 'webhook.deactivated', { id, status: 'ACTIVE' }, { id, status: 'DEACTIVATED' });
const enabled = (sequence: number, id = 'c1', status = 'DEACTIVATED') =>
  entry(sequence, 'webhook.enabled', { id, status }, { id, status: 'ACTIVE' });
const replayed = (sequence: number, since: string, id = 'c1') =>
  entry(sequence, 'webhook.replayed', null, { id, since });

describe('a replay of what a webhook missed', () => {
  it('begins 30 days before it was enabled, as no event is kept for longer, and not before it was made', () => {
    const enabledAt = '2026-01-20T10:00:00.000Z';
    expect(missedFrom('2025-06-01T00:00:00.000Z', enabledAt)).toBe('2025-12-21T10:00:00.000Z');
    expect(missedFrom('2026-01-20T08:00:00.000Z', enabledAt)).toBe('2026-01-20T08:00:00.000Z');
  });
});

describe('what a webhook missed', () => {
  it('ends with the last act that enabled it while it was deactivated', () => {
    const entries = [enabled(7, 'c1', 'ACTIVE'), enabled(6), enabled(3), enabled(8, 'c2')];
    expect(lastEnabling(entries, 'c1')?.sequence).toBe(6);
    expect(lastEnabling([enabled(7, 'c1', 'ACTIVE')], 'c1')).toBeNull();
  });

  it('is replayed by a replay from the deactivation on, or from before it, and by no other', () => {
    const isDone = (replay: AuditEntry) => isReplayed(enabled(3), [deactivated(1), deactivated(2), replay]);
    expect(isDone(replayed(4, '2026-01-20T10:02:00.000Z'))).toBe(true);
    expect(isDone(replayed(4, '2025-12-21T10:00:00Z'))).toBe(true);
    expect(isDone(replayed(4, '2026-01-20T10:02:30.000Z'))).toBe(false);
    expect(isDone(replayed(1, '2026-01-01T00:00:00.000Z'))).toBe(false);
    expect(isDone(replayed(4, '2026-01-01T00:00:00.000Z', 'c2'))).toBe(false);
  });

  it('is known to be replayed also where the log has the deactivation behind the enabling, or no longer', () => {
    const late = (since: string) => isReplayed(enabled(3), [deactivated(4), replayed(5, since)]);
    expect([late('2026-01-20T10:03:00.000Z'), late('2026-01-20T10:03:30.000Z')]).toEqual([true, false]);
    expect(isReplayed(enabled(3), [replayed(5, '2026-01-20T10:03:00.000Z')])).toBe(true);
  });
});
