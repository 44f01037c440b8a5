import { describe, expect, it } from '@jest/globals';
import { missedFrom } from './missed-from.js';

describe('a replay of what a webhook missed', () => {
  it('begins 30 days before the deactivation, which dropped what had waited, and not before the webhook was made', () => {
    const deactivatedAt = '2026-01-20T10:00:00.000Z';
    expect(missedFrom('2025-06-01T00:00:00.000Z', deactivatedAt)).toBe('2025-12-21T10:00:00.000Z');
    expect(missedFrom('2026-01-20T08:00:00.000Z', deactivatedAt)).toBe('2026-01-20T08:00:00.000Z');
  });
});
