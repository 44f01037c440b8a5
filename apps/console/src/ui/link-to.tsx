import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactElement, Ref } from 'react';

function Plain({
  ref,
  ...props
}: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly ref?: Ref<HTMLAnchorElement> }): ReactElement {
  return <a ref={ref} {...props} />;
}

const Routed = createLink(Plain);

/** A link within the console; takes any path, with its parameters filled in. */
export function LinkTo({
  to,
  search,
  ...props
}: AnchorHTMLAttributes<HTMLAnchorElement> & {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly ref?: Ref<HTMLAnchorElement>;
}): ReactElement {
  // Paths come from the list of pages, which the router's types do not see.
  const target = { to, search } as unknown as { to: '/' };
  return <Routed {...props} {...target} />;
}
