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
