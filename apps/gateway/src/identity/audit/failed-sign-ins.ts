import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { LOG, type Log } from '@switchboard/platform';
import type { AuditAction } from '../audit.contract.js';
import { appendAudit } from './audit.repository.js';
import { userAct } from './user-act.policy.js';
import { organizationsOfUser } from '../member/member.repository.js';
import type { ActSource, User } from '../signed-in.contract.js';

/** A failure that is written after its answer. */
export type FailedAttempt = Extract<
  AuditAction,
  'user.sign-in-failed' | 'user.password-change-failed' | 'user.password-check-failed' | 'user.second-factor-failed'
>;

/**
 * Writes failed login attempts at accounts that exist into the audit logs of their organizations.
 *
 * After the answer, not before: the time that an answer takes must not show whether an address has an account. A crash loses
 * the entries that it interrupted.
 */
@Injectable()
export class FailedSignIns implements BeforeApplicationShutdown {
  private readonly underway = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Returns at once. */
  record(user: Pick<User, 'id' | 'email'>, source: ActSource, action: FailedAttempt = 'user.sign-in-failed'): void {
    const work = this.write(user, source, action)
      .catch((error: unknown) => this.log.error('audit.sign-in-failed-not-written', error))
      .finally(() => this.underway.delete(work));
    this.underway.add(work);
  }

  /** Returns when all is written that was recorded before. */
  async drain(): Promise<void> {
    await Promise.all(this.underway);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
  }

  private async write(user: Pick<User, 'id' | 'email'>, source: ActSource, action: FailedAttempt): Promise<void> {
    for (const { id } of await this.database.query(organizationsOfUser, [user.id])) {
      const act = userAct(user, id, source);
      await this.database.transaction(async (tx) => {
        appendAudit(tx, { ...act, action, before: null, after: null });
      });
    }
  }
}
