/** What the line of a job shows of it. */
export interface ShownJob {
  readonly id: string;
  readonly status: string;
  readonly heldReason: string | null;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly estimatedCompletionAt: string | null;
}

const WIDTH = 30;

/** One line about a job: a bar of what is no longer queued, its counts that are not 0, the rate so far and the estimate. */
export function jobLine(job: ShownJob, elapsedMs: number): string {
  const { status, heldReason, total, counts, estimatedCompletionAt } = job;
  const done = total - (counts['queued'] ?? 0);
  const share = total === 0 ? 1 : done / total;
  const filled = Math.floor(share * WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const shown = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${name} ${count}`]));
  const perSecond = elapsedMs > 0 ? Math.round((done / elapsedMs) * 1_000) : 0;
  const end = estimatedCompletionAt === null ? [] : [`ends about ${estimatedCompletionAt.slice(11, 19)} UTC`];
  const state = heldReason === null ? status : `${status} (${heldReason})`;
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${[state, ...shown, `${perSecond}/s`, ...end].join(' · ')}`;
}
