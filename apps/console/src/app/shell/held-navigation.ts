import { useBlocker } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { isPageHeld, whenHoldChanges } from '../../api/held-page.js';
import { showHeld } from '../../ui/notices.js';

/** Refuses links and Back, and says so, and asks before the tab is closed, while the page shows something this once. */
export function useHeldNavigation(): void {
  const isHeld = useSyncExternalStore(whenHoldChanges, isPageHeld);
  useBlocker({ shouldBlockFn: refuses, enableBeforeUnload: isPageHeld, disabled: !isHeld });
}

function refuses({ current, next }: Record<'current' | 'next', { readonly pathname: string }>): boolean {
  // Only what the address keeps of the page has changed.
  if (current.pathname === next.pathname) return false;
  const isHeld = isPageHeld();
  if (isHeld) showHeld();
  return isHeld;
}
