import type { ReactElement } from 'react';
import type { Webhook } from '../../api/api.generated.js';
import { StatusBadge } from '../../ui/status-badge.js';

/** At a glance: whether events arrive. */
export function WebhookHealth({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const { status, consecutiveFailures } = webhook;
  if (status === 'DEACTIVATED') return <StatusBadge tone="bad">Deactivated</StatusBadge>;
  if (consecutiveFailures > 0)
    return <StatusBadge tone="warning">{`${consecutiveFailures} of 10 failures`}</StatusBadge>;
  return <StatusBadge tone="good">Active</StatusBadge>;
}
