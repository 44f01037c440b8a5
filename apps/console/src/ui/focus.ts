import { useLayoutEffect, useRef, type RefObject } from 'react';
import { paletteStore } from '../app/shell/palette-state.js';

/** The path of the page whose frame was shown last; null until the first. */
let shownPath: string | null = null;
/** Whether the frame that was shown last had the focus when it went. */
let hadFocus = false;

/**
 * Gives the focus to the heading of a page that another led to: screen readers read it out, and the Tab key goes on from there. Also to
 * that of a frame that takes the place of another, which had the focus, as when a page has read what it shows. Where the console is
 * loaded, the focus stays where the browser begins.
 */
export function useHeadingFocus(): {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly heading: RefObject<HTMLHeadingElement | null>;
} {
  const frame = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Layout effects: the focus is still in what goes, and already can be in what comes.
  useLayoutEffect(() => {
    const { pathname } = location;
    const isOther = shownPath !== null && shownPath !== pathname;
    const isLost = hadFocus && document.activeElement === document.body;
    shownPath = pathname;
    hadFocus = false;
    if (isLost || (isOther && !paletteStore.getState().opened)) heading.current?.focus({ preventScroll: true });
    const element = frame.current;
    return () => {
      hadFocus = element?.contains(document.activeElement) ?? false;
    };
  }, []);
  return { frame, heading };
}

/** Gives the focus that went with what had it to an element, or, when that is gone too, to the page. Elsewhere it stays. */
export function focusBack(element: Element | null): void {
  if (document.activeElement !== document.body) return;
  if (element instanceof HTMLElement && element.isConnected) element.focus({ preventScroll: true });
  else focusPage();
}

/** Gives the focus to the page's content: what has it is about to go. */
export function focusPage(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}
