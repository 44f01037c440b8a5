import type { ReactElement } from 'react';
import { useSession } from '../../api/session.js';
import { PageFrame } from '../../ui/page.js';

/** What to do first, the figures of the day, and what needs attention. */
export function Page(): ReactElement {
  const { organization } = useSession();
  return <PageFrame title={organization.name}>{null}</PageFrame>;
}
