import { useBlocker } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { isPageHeld, whenHoldChanges } from '../../api/held-page.js';

/** Refuses links and Back, and asks before the tab is closed, while the page shows something this once. */
export function useHeldNavigation(): void {
  const isHeld = useSyncExternalStore(whenHoldChanges, isPageHeld);
  useBlocker({ shouldBlockFn: isPageHeld, enableBeforeUnload: isPageHeld, disabled: !isHeld });
}
