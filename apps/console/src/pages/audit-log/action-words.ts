import type { Operations } from '../../api/api.generated.js';

/** A kind of act, as the API's filter takes it. */
export type Action = NonNullable<Operations['listAuditLog']['query']['action']>;

/** Every kind of act, as people read it; in the order of the filter. */
export const actionWords: Readonly<Record<Action, string>> = {
  'user.signed-in': 'Signed in',
  'user.sign-in-failed': 'Sign-in failed',
  'user.signed-out': 'Signed out',
  'user.signed-out-everywhere': 'Signed out everywhere',
  'user.session-ended': 'Session ended',
  'user.organization-switched': 'Organization switched',
  'user.password-changed': 'Password changed',
  'user.password-change-failed': 'Password change failed',
  'user.password-reset': 'Password reset',
  'user.password-check-failed': 'Password check failed',
  'user.second-factor-enabled': 'Second factor enabled',
  'user.second-factor-disabled': 'Second factor disabled',
  'user.second-factor-failed': 'Second factor failed',
  'user.second-factor-reset': 'Second factor reset',
  'user.recovery-codes-renewed': 'Recovery codes renewed',
  'api-key.created': 'API key created',
  'api-key.secret-renewed': 'API key secret renewed',
  'api-key.revoked': 'API key revoked',
  'webhook.created': 'Webhook created',
  'webhook.changed': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.enabled': 'Webhook enabled',
  'webhook.secret-shown': 'Webhook secret shown',
  'webhook.secret-rotated': 'Webhook secret rotated',
  'webhook.deactivated': 'Webhook deactivated',
  'webhook.tested': 'Webhook tested',
  'webhook.redelivered': 'Webhook event delivered again',
  'webhook.replayed': 'Webhook events replayed',
  'channel.connected': 'Channel connected',
  'channel.changed': 'Channel changed',
  'channel.tested': 'Channel tested',
  'channel.disconnected': 'Channel disconnected',
  'contact.erased': 'Contact erased',
  'message.given-up': 'Unknown outcome given up',
  'invite.created': 'Invitation created',
  'invite.revoked': 'Invitation revoked',
  'invite.accepted': 'Invitation accepted',
  'member.added': 'Member added',
  'member.role-changed': 'Role changed',
  'member.removed': 'Member removed',
  'organization.created': 'Organization created',
  'organization.second-factor-changed': 'Second factor rule changed',
  'plan.changed': 'Plan changed',
  'subscription.changed': 'Subscription changed',
  'quota.repaired': 'Quota repaired',
};

/** An act in plain words; one that this console does not know yet by its name. */
export function wordsOf(action: string): string {
  return (actionWords as Readonly<Record<string, string>>)[action] ?? action;
}
