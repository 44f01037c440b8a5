import type { ReactElement } from 'react';

/** The mark. */
export function Brand({ size = 24 }: { readonly size?: number }): ReactElement {
  return <img src="/app/switchboard.svg" width={size} height={size} alt="" />;
}
