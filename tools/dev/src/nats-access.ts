import { administratorOf, natsAccounts } from '@switchboard/nats/nats-accounts';
import { natsServerSettings } from '@switchboard/nats/nats-server-settings';
import { PROVISIONER } from '@switchboard/nats/nats-users';
import type { Secrets } from './secrets.js';

/** The user with every right at the streams, for the developer's own tools and for tests; no service knows its password. */
export const natsAdmin = administratorOf();

/** How each service reaches NATS. */
export interface NatsAccess {
  readonly url: string;
  /** With credentials of every right at the streams; `admin-<service>` with the same password has every right in that account. */
  readonly adminUrl: string;
  /** Whether every service has a user of its own with no rights but the ones it needs. */
  readonly isIsolated: boolean;
  credentials(user: string): { NATS_URL: string; NATS_USER: string; NATS_PASSWORD: string };
}

/** The embedded server's configuration: one account a service, as `@switchboard/nats` has it, each with an administrator. */
export function composeNatsConfig(secrets: Secrets): string {
  const of = (user: string): string => secrets.password(`nats ${user}`);
  // The server's format takes JSON as it is.
  return [
    `accounts: ${JSON.stringify(natsAccounts({ of, administrator: of(natsAdmin) }), null, 2)}`,
    ...natsServerSettings.map(({ setting }) => setting),
  ].join('\n');
}

/** Access to the embedded server at `url`. */
export function embeddedNatsAccess(url: string, secrets: Secrets): NatsAccess {
  const password = (user: string): string => secrets.password(`nats ${user}`);
  const admin = new URL(url);
  admin.username = natsAdmin;
  admin.password = password(natsAdmin);
  return {
    url,
    adminUrl: admin.href,
    isIsolated: true,
    credentials: (user) => ({ NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password(user) }),
  };
}

/** Access to a server of the user's: all share the credentials of its URL, for users cannot be made over the wire. */
export function foreignNatsAccess(natsUrl: string): NatsAccess {
  const url = new URL(natsUrl);
  // A server without users takes any name; services insist on having one.
  const user = decodeURIComponent(url.username) || 'switchboard';
  const shared = { NATS_USER: user, NATS_PASSWORD: decodeURIComponent(url.password) || user };
  url.username = '';
  url.password = '';
  return {
    url: url.href,
    adminUrl: natsUrl,
    isIsolated: false,
    credentials: () => ({ NATS_URL: url.href, ...shared }),
  };
}

/** The user of the provisioning step. */
export const natsProvisioner = PROVISIONER;
