import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Database, readKeysetPage } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { ipAddressOf } from '../address/ip-address.policy.js';
import { appendAuditOfPerson } from '../audit/append-audit-of-person.js';
import { appendAudit } from '../audit/audit.repository.js';
import { signedInAct, userAct } from '../audit/user-act.policy.js';
import { organizationsOfUser } from '../member/member.repository.js';
import type { OwnSession, PageInput, PageOf, Sessions } from '../people.contract.js';
import type { ActSource, NewSession, OrganizationName, Role, SignedIn } from '../signed-in.contract.js';
import { hashOfSecret, isPlausibleSecret } from '../secret/secret.policy.js';
import { lockUser } from '../user/user.repository.js';
import { beginSession, signedInOf } from './begin-session.js';
import { deviceName } from './device.policy.js';
import { roleInSession, sessionHasEnded } from './hold-session.js';
import { sessionBounds } from './session.policy.js';
import {
  endSession,
  endSessionOfUser,
  endSessionsOfUser,
  findOpenSessions,
  findSession,
  listSessionsOfUser,
  type OwnSessionRow,
} from './session.repository.js';

/** Sessions in the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabaseSessions implements Sessions {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async find(secret: string, address: string | null = null): Promise<SignedIn | null> {
    if (!isPlausibleSecret(secret)) return null;
    const { now, seenAfter, signedInAfter, touchBefore } = sessionBounds(this.clock.now());
    const from = address === null ? null : ipAddressOf(address);
    const values = [hashOfSecret(secret), now, seenAfter, signedInAfter, touchBefore, from];
    const [row] = await this.database.query(findSession, values);
    return row ? signedInOf(row) : null;
  }

  async stillOpen(sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { seenAfter, signedInAfter } = sessionBounds(this.clock.now());
    const open = await this.database.query(findOpenSessions, [sessionIds, seenAfter, signedInAfter]);
    return new Set(open.map(({ id }) => id));
  }

  async organizationsOf(userId: string): Promise<readonly (OrganizationName & { readonly role: Role })[]> {
    return this.database.query(organizationsOfUser, [userId]);
  }

  async list(signedIn: SignedIn, { limit, cursor }: PageInput): Promise<PageOf<OwnSession>> {
    const { seenAfter, signedInAfter } = sessionBounds(this.clock.now());
    const bounds = [seenAfter, signedInAfter];
    return readKeysetPage(
      limit,
      (rowsMax) => this.database.query(listSessionsOfUser, [signedIn.user.id, cursor, rowsMax, ...bounds]),
      ({ id }) => id,
      (row) => ownSessionOf(row, signedIn),
    );
  }

  async endOne(signedIn: SignedIn, id: string, source: ActSource): Promise<void> {
    const { user, organization, sessionId } = signedIn;
    await this.database.transaction(
      async (tx) => {
        await tx.query(lockUser, [user.id]);
        await roleInSession(tx, sessionId, organization.id);
        const [ended] = await tx.query(endSessionOfUser, [user.id, id]);
        if (!ended) throw new AppError(serviceErrors.NOT_FOUND, 'You have no session with this id');
        const before = { id, address: ended.address, device: deviceName(ended.userAgent) };
        const act = userAct(user, ended.organizationId, source);
        appendAudit(tx, { ...act, action: 'user.session-ended', before, after: null });
      },
      { tenant: organization.id },
    );
  }

  async end(signedIn: SignedIn, source: ActSource): Promise<void> {
    await this.database.transaction(
      async (tx) => {
        const [ended] = await tx.query(endSession, [signedIn.sessionId]);
        // After a switch the session goes on under another secret: the answer must not be that it has ended here.
        if (!ended) throw sessionHasEnded();
        appendAudit(tx, { ...signedInAct(signedIn, source), action: 'user.signed-out', before: null, after: null });
      },
      { tenant: signedIn.organization.id },
    );
  }

  async endEverywhere(signedIn: SignedIn, source: ActSource): Promise<void> {
    const { user } = signedIn;
    const act = signedInAct(signedIn, source);
    await this.database.transaction(
      async (tx) => {
        await tx.query(lockUser, [user.id]);
        const ended = await tx.query(endSessionsOfUser, [user.id, null, null]);
        if (!ended.some(({ id }) => id === signedIn.sessionId)) throw sessionHasEnded();
        await appendAuditOfPerson(tx, user.id, {
          ...act,
          action: 'user.signed-out-everywhere',
          before: null,
          after: null,
        });
      },
      { tenant: signedIn.organization.id },
    );
  }

  async switchOrganization(
    { sessionId, user }: SignedIn,
    organizationId: string,
    source: ActSource,
  ): Promise<NewSession> {
    const now = new Date(this.clock.now());
    return this.database.transaction(
      async (tx) => {
        const owner = { userId: user.id, organizationId, passwordHash: null, source };
        const begun = await beginSession(tx, owner, now, sessionId);
        if (!begun) throw new AppError(serviceErrors.NOT_FOUND, 'You belong to no organization with this id');
        const { role } = begun.signedIn;
        const act = signedInAct(begun.signedIn, source);
        // In the log of the new organization alone: the former one is not its concern.
        appendAudit(tx, { ...act, action: 'user.organization-switched', before: null, after: { role } });
        return begun;
      },
      { tenant: organizationId },
    );
  }
}

function ownSessionOf(row: OwnSessionRow, { sessionId }: SignedIn): OwnSession {
  const { id, organizationId, organizationName, address, userAgent, signedInAt, lastSeenAt } = row;
  return {
    id,
    device: deviceName(userAgent),
    address,
    organization: { id: organizationId, name: organizationName },
    createdAt: signedInAt,
    lastUsedAt: lastSeenAt,
    isCurrent: id === sessionId,
  };
}
