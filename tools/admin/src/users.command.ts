import { operate } from '@switchboard/gateway/operate';
import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { UsageError, type Choices } from './command-line.js';
import { gatewayDatabase } from './gateway-database.js';
import { textTable } from './text-table.js';

/** Shows a person, their organizations and how many sessions they have. */
export async function showUser(
  client: pg.ClientBase,
  { operands: [email], json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const user = await operate(await gatewayDatabase(client), operator).user(addressOf(email));
  if (json) return [JSON.stringify(user)];
  const { id, name, sessions, organizations } = user;
  return [`${name} <${user.email}> (${id}), ${sessions} sessions`, ...textTable(organizations)];
}

/**
 * Gives a person a new password, which is shown here and nowhere else, and ends their sessions, and the memberships that
 * were never confirmed unless they are to be kept.
 */
export async function resetUserPassword(
  client: pg.ClientBase,
  { operands: [email], json, keepMemberships }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const operation = operate(await gatewayDatabase(client), operator);
  const reset = await operation.resetPassword(addressOf(email), keepMemberships ? 'keep' : 'end');
  if (json) return [JSON.stringify(reset)];
  const { password, logs, left } = reset;
  const unconfirmed = `Memberships that were never confirmed have ended: ${left.join(', ')}. They need a new invitation.`;
  return [
    `The new password of ${email} is ${password}`,
    `It is shown once; all sessions have ended. It is in the audit logs of ${logs} organizations.`,
    ...(left.length === 0 ? [] : [unconfirmed]),
  ];
}

/** Takes a lost second factor from a person, and ends their sessions. */
export async function resetUserSecondFactor(
  client: pg.ClientBase,
  { operands: [email], json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const logs = await operate(await gatewayDatabase(client), operator).resetSecondFactor(addressOf(email));
  if (json) return [JSON.stringify({ logs })];
  return [
    `${email} signs in by password alone; all sessions have ended. It is in the audit logs of ${logs} organizations.`,
  ];
}

/** Ends every session of a person. */
export async function signOutUser(
  client: pg.ClientBase,
  { operands: [email], json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const ended = await operate(await gatewayDatabase(client), operator).endSessions(addressOf(email));
  return [json ? JSON.stringify({ ended }) : `${ended} sessions of ${email} have ended.`];
}

function addressOf(email: string | undefined): string {
  if (email === undefined) throw new UsageError('Whose account? Give an email address.');
  return email;
}
