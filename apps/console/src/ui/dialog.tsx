import { Drawer, Modal, type DrawerProps, type ModalProps } from '@mantine/core';
import { useEffect, useLayoutEffect, useState, type MouseEvent, type ReactElement } from 'react';
import { holdPage, watchDraft } from '../api/held-page.js';
import { focusBack } from './focus.js';

/** What had the focus before the first of the dialogs that are open: a dialog that follows another gives it back there. */
let opener: Element | null = null;

/**
 * Gives the focus back to what opened a dialog when the dialog leaves the page. Mantine does so only for one that stays in the
 * page while it is closed; without it, who uses the keyboard begins at the top again.
 */
function useFocusBack(): void {
  const [target] = useState(() => {
    const active = document.activeElement;
    if (!active?.closest('[role=dialog]')) opener = openerOfMenu(active) ?? active;
    return opener;
  });
  // After the browser has taken the focus from what is gone.
  useEffect(() => () => void setTimeout(() => focusBack(target)), [target]);
}

/** What opened the menu that an element is in: the menu goes with the choice. */
function openerOfMenu(element: Element | null): Element | null {
  const id = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return id ? document.getElementById(id) : null;
}

/** The second click of a double one on what opens a dialog falls on the shade next to the dialog: it neither closes it nor takes the focus from it. */
const unlessDoubled = {
  onMouseDownCapture: (event: MouseEvent): void => {
    if (isDoubledOnShade(event)) event.preventDefault();
  },
  onClickCapture: (event: MouseEvent): void => {
    if (isDoubledOnShade(event)) event.stopPropagation();
  },
};

function isDoubledOnShade({ target, detail }: MouseEvent): boolean {
  return detail > 1 && (target as Element).matches('.mantine-Modal-overlay, .mantine-Drawer-overlay');
}

/** Nothing but a button of the dialog closes it. */
const guarded: Partial<ModalProps> = { closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false };

/**
 * A dialog that is in the page only while it is open. What was typed into it is a draft, and a click next to it does not lose that.
 *
 * @param props.isShownOnce what it shows is shown this once: no stray key or click loses it, and the page is not left
 */
export function Dialog({
  isShownOnce = false,
  ...props
}: Omit<ModalProps, 'opened'> & { readonly isShownOnce?: boolean }): ReactElement {
  useFocusBack();
  const [isTyped, setTyped] = useState(false);
  useEffect(() => watchDraft(() => isTyped), [isTyped]);
  // As it is drawn: what made it holds the page no longer.
  useLayoutEffect(() => (isShownOnce ? holdPage() : undefined), [isShownOnce]);
  return (
    <Modal
      opened
      onInput={() => setTyped(true)}
      closeOnClickOutside={!isTyped}
      {...unlessDoubled}
      {...props}
      {...(isShownOnce ? guarded : {})}
    />
  );
}

/** A drawer that is in the page only while it is open. */
export function SideDialog(props: Omit<DrawerProps, 'opened'>): ReactElement {
  useFocusBack();
  return <Drawer opened {...unlessDoubled} {...props} />;
}
