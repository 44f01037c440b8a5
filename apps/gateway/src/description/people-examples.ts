import type {
  ApiKeyView,
  AuditEntryView,
  InviteView,
  MemberView,
  NewApiKeyView,
  NewInviteView,
  NewSecondFactorView,
  OrganizationView,
  OwnSessionView,
  PlanView,
  RecoveryCodesView,
  SandboxView,
  SecondFactorView,
  SessionView,
} from '@switchboard/contracts/gateway/http';
import { exampleId, exampleIds, exampleTimes } from './example-values.js';
import type { ViewName } from './views.generated.js';

const user = { id: exampleId(exampleTimes.connected, 'a1d5a9l3o7v2e6l0'), email: 'ada@example.org' };
const organization = { id: exampleIds.organization, name: 'Acme' };
const address = '192.0.2.17';

const session: SessionView = {
  user: { ...user, name: 'Ada Lovelace' },
  organization,
  role: 'OWNER',
  csrfToken: '3qHcXwq9m0Yb7tUoZpJ5rVnK1sLdE8fGaT2iCvN6xWk',
  secondFactor: { isEnabled: true, isRequired: true },
  organizations: [{ ...organization, role: 'OWNER' }],
};

const ownSession: OwnSessionView = {
  id: exampleId(exampleTimes.met, 's1e5s9s3i7o2n6s0'),
  device: 'Firefox on Linux',
  address,
  organization,
  createdAt: exampleTimes.met,
  lastUsedAt: exampleTimes.replied,
  isCurrent: true,
};

const secondFactor: SecondFactorView = {
  isEnabled: true,
  isRequired: true,
  enabledAt: exampleTimes.met,
  recoveryCodesLeft: 9,
};

const seed = 'KVKFKRCPNZQUYMLXOVYDSQKJKZDTSRLD';
const newSecondFactor: NewSecondFactorView = {
  seed,
  uri: `otpauth://totp/Switchboard:ada%40example.org?issuer=Switchboard&secret=${seed}&algorithm=SHA1&digits=6&period=30`,
};

const recoveryCodes: RecoveryCodesView = {
  recoveryCodes: [
    'k3x9-7mqp-2vtc-hd84',
    'w6fz-pb5n-9gkr-3tye',
    'q8cd-4hjm-xv27-rzs5',
    'n2ta-e9kw-6ypg-bf73',
    'z5rb-8mvx-c3dq-4hjt',
    'g7yp-2sfn-kw96-e8xc',
    'b4he-r6zt-5qmv-9pdk',
    'x9kd-3wgy-t8cs-2nfa',
    'm6vq-b7jh-4ezp-xr5w',
    'c2ts-9fxe-d6yn-k3gb',
  ],
};

/** An organization that requires a second factor. */
const organizationExample: OrganizationView = { ...organization, isSecondFactorRequired: true };

const member: MemberView = {
  id: exampleId(exampleTimes.met, 'm1e5m9b3e7r2s6h0'),
  user: { id: exampleId(exampleTimes.met, 'g1r5a9c3e7h2o6p0'), email: 'grace@example.org', name: 'Grace Hopper' },
  role: 'ADMIN',
  createdAt: exampleTimes.met,
};

const invite: InviteView = {
  id: exampleId(exampleTimes.closed, 'i1n5v9i3t7e2s6g0'),
  email: 'grace@example.org',
  role: 'MEMBER',
  createdAt: exampleTimes.closed,
  expiresAt: '2026-02-10T05:00:00.000Z',
};

const token = 'b6JQm3T9yVhS1rXzKpWc0dN5uEgLa2FoIi7tYs4RvQM';
const newInvite: NewInviteView = { ...invite, link: `https://app.example.org/app/accept-invite#${token}`, token };

const plan: PlanView = {
  plan: 'GROWTH',
  subscriptionStatus: 'ACTIVE',
  limits: { requestsPerMinute: 6_000, requestBurst: 1_000, messagesPerMonth: 500_000, channels: 10, seats: 25 },
  excludedScopes: [],
  seatsTaken: 4,
  usage: { month: '2026-02', messages: 41_250 },
};

/** A key that is in use. */
const apiKey: ApiKeyView = {
  id: exampleId(exampleTimes.met, 'k1e5y9t3i7l2l6s0'),
  label: 'Till in the shop',
  prefix: 'svc_live_4vK',
  scopes: ['messages:send', 'contacts:read'],
  status: 'ACTIVE',
  createdAt: exampleTimes.met,
  createdBy: user,
  lastUsedAt: exampleTimes.accepted,
  lastUsedAddress: address,
  revokedAt: null,
};

/** The same once it was revoked. */
export const revokedKeyExample: ApiKeyView = { ...apiKey, status: 'REVOKED', revokedAt: exampleTimes.closed };

/** Of no organization: its last six characters are no checksum. */
const newApiKey: NewApiKeyView = {
  ...apiKey,
  lastUsedAt: null,
  lastUsedAddress: null,
  secret: 'svc_live_4vK0xJ2mQw8nR5tY7uB3cD6fG9hL1pZsA2dE4k',
  hint: null,
};

const auditEntry: AuditEntryView = {
  sequence: 42,
  action: 'api-key.revoked',
  actor: { type: 'user', ...user },
  address,
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  at: exampleTimes.closed,
  before: auditedKey(apiKey),
  after: auditedKey(revokedKeyExample),
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

function auditedKey({ id, label, prefix, scopes, revokedAt }: ApiKeyView): Readonly<Record<string, unknown>> {
  return { id, label, prefix, scopes, revokedAt };
}

const sandbox: SandboxView = {
  recipients: [
    { phone: '+12015550100', effect: 'refused: not reachable (131026)' },
    { phone: '+12015550105', effect: 'refused: opted out at the provider (131050)' },
  ],
};

/** One lifelike example of each shape of people and of what they manage by themselves; the linter holds them to their schemas. */
export const peopleExamples: Readonly<Partial<Record<ViewName, object>>> = {
  Session: session,
  OwnSession: ownSession,
  SecondFactor: secondFactor,
  NewSecondFactor: newSecondFactor,
  RecoveryCodes: recoveryCodes,
  Organization: organizationExample,
  Member: member,
  Invite: invite,
  NewInvite: newInvite,
  Plan: plan,
  ApiKey: apiKey,
  NewApiKey: newApiKey,
  AuditEntry: auditEntry,
  Sandbox: sandbox,
};
