import { Button, type ButtonProps } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { useLayoutEffect, useRef, type ComponentProps, type ReactElement } from 'react';
import { focusBack } from './focus.js';

/**
 * A button whose act takes a while. Browsers take the focus from a button that is disabled, as this is meanwhile: it gets it
 * back when the act has ended, unless the focus went elsewhere.
 */
export function BusyButton({
  loading = false,
  ref,
  ...props
}: ButtonProps & Omit<ComponentProps<'button'>, keyof ButtonProps>): ReactElement {
  const button = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    // Before the browser draws: it takes the focus only then.
    if (loading) hadFocus.current = document.activeElement === button.current;
    else if (hadFocus.current) {
      hadFocus.current = false;
      focusBack(button.current);
    }
  }, [loading]);
  const refs = useMergedRef(button, ref);
  return <Button ref={refs} loading={loading} {...props} />;
}
