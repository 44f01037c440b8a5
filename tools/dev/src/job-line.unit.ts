import { describe, expect, it } from '@jest/globals';
import { jobLine } from './job-line.js';

describe('the line of a job', () => {
  const job = {
    id: 'c1234567',
    status: 'RUNNING',
    heldReason: null,
    total: 200,
    counts: { queued: 150, unconfirmed: 0, sent: 10, delivered: 0, read: 39, failed: 0, skipped: 1 },
    estimatedCompletionAt: '2026-02-03T04:05:06.789Z',
  };

  it('says how far it is, how fast, and when it ends', () => {
    expect(jobLine(job, 5_000)).toBe(
      `${'█'.repeat(7)}${'░'.repeat(23)}  25 %  RUNNING · queued 150 · sent 10 · read 39 · skipped 1 · 10/s · ends about 04:05:06 UTC`,
    );
  });

  it('says why a job is held, and leaves out what is not known', () => {
    const held = { ...job, status: 'HELD', heldReason: 'QUOTA', estimatedCompletionAt: null };
    expect(jobLine(held, 0)).toMatch(/ 25 % {2}HELD \(QUOTA\) · .* · 0\/s$/);
  });

  it('is full at the end', () => {
    const done = { ...job, status: 'COMPLETED', counts: { read: 200 }, estimatedCompletionAt: null };
    expect(jobLine(done, 1_000)).toBe(`${'█'.repeat(30)} 100 %  COMPLETED · read 200 · 200/s`);
  });
});
