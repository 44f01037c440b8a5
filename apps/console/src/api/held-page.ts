import { Watchers } from './watchers.js';

/** What would be lost with the page for good: each secret that it shows this once, or is about to show. */
const holds = new Set<object>();
/** What would be lost and can be made again: text in a field, a chosen file. */
const drafts = new Set<() => boolean>();
const watchers = new Watchers();
let waiting: (() => void) | null = null;

/** Keeps the page until what it shows this once is put away. @returns gives it free */
export function holdPage(): () => void {
  const hold = {};
  holds.add(hold);
  watchers.announce();
  return () => {
    if (!holds.delete(hold)) return;
    watchers.announce();
    // A dialog that follows another holds the page in the same moment.
    setTimeout(leaveIfFree);
  };
}

/** Whether the page shows what it shows this once. */
export function isPageHeld(): boolean {
  return holds.size > 0;
}

/** Calls back when `isPageHeld` may answer otherwise. @returns ends it */
export const whenHoldChanges: Watchers['watch'] = watchers.watch;

/** Leaves the page, or loads it anew: at once, or when nothing holds it any more. Of several that wait, the last one counts. */
export function leaveWhenFree(leave: () => void): void {
  waiting = leave;
  leaveIfFree();
}

/** Has the page ask whether it has a draft. @returns ends it */
export function watchDraft(hasDraft: () => boolean): () => void {
  drafts.add(hasDraft);
  return () => void drafts.delete(hasDraft);
}

/** Whether a load of the page would lose a draft. */
export function hasAnyDraft(): boolean {
  return [...drafts].some((hasDraft) => hasDraft());
}

/** Asks where a load of the page would lose a draft. @returns whether it may be left */
export function mayLoseDrafts(): boolean {
  return !hasAnyDraft() || confirm('What you have not sent or saved yet will be lost, a chosen file as well. Go on?');
}

/** Forgets every draft: the page is left on purpose, and the browser is not to ask. */
export function dropDrafts(): void {
  drafts.clear();
}

function leaveIfFree(): void {
  if (waiting === null || isPageHeld()) return;
  const leave = waiting;
  waiting = null;
  leave();
}
