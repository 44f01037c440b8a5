import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { listUpstreamTemplatesRpc, type UpstreamTemplatePage } from '@switchboard/contracts/messaging/template-rpc';
import { RpcClient } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { STOPPING } from '@switchboard/platform';
import {
  completeSync,
  failSync,
  renewLease,
  RUNS_APART_SECONDS,
  type LeasedAccount,
} from '../account/account.repository.js';
import { templateKey } from './reconcile.policy.js';
import { disableVanished, findUnlisted, storePage } from './template-page.repository.js';

/** Another run has taken the account over: what this one reads is stored no more. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the account is lost');
    this.name = 'LeaseLost';
  }
}

/** The upstream's list does not end. */
export class EndlessList extends Error {
  constructor() {
    super('the list of templates does not end');
    this.name = 'EndlessList';
  }
}

/** Of a run whose list was empty, though there were templates. */
const EMPTY_LIST = 'EMPTY_LIST';
/** A page has 50 templates; an account has 6,000 at most. */
const PAGES_MAX = 2_000;

interface Walk {
  readonly keys: ReadonlySet<string>;
  /** Of its first page: no page is older. */
  readonly asOf: Date;
  readonly isInDoubt: boolean;
}

/**
 * Reads the upstream's list of an account's templates to its end and stores it page by page.
 *
 * A template that is missing is disabled when a second walk, right behind the first, misses it too: a list that shrinks
 * between two pages may skip one that is there. A list that has become empty is believed when the next run finds it so, too: an
 * answer without an error that is none would stop every bulk send of the account.
 */
@Injectable()
export class SyncAccount {
  constructor(
    private readonly database: Database,
    private readonly rpc: RpcClient,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
  ) {}

  /** @throws LeaseLost; EndlessList; AppError and RpcUnanswered as messaging answers */
  async execute(account: LeasedAccount, intervalSeconds: number): Promise<void> {
    let walk = await this.walk(account);
    let unlisted = await findUnlisted(this.database, account, walk.keys);
    if (unlisted.length > 0) {
      walk = await this.walk(account);
      const again = new Set(await findUnlisted(this.database, account, walk.keys));
      unlisted = unlisted.filter((id) => again.has(id));
    }
    if (walk.keys.size === 0 && unlisted.length > 0 && account.error !== EMPTY_LIST) {
      return failSync(this.database, account, { nextInSeconds: intervalSeconds, error: EMPTY_LIST });
    }
    const { asOf, isInDoubt } = walk;
    const nextInSeconds = isInDoubt ? RUNS_APART_SECONDS : intervalSeconds;
    await this.database.transaction(async (tx) => {
      await disableVanished(tx, account, unlisted, asOf);
      if (!(await renewLease(tx, account))) throw new LeaseLost();
      await completeSync(tx, account, { nextInSeconds, listedAt: asOf });
    });
  }

  private async walk(account: LeasedAccount): Promise<Walk> {
    const { organizationId, businessAccountId } = account;
    const principal = systemPrincipal(organizationId, 'sync-templates');
    const keys = new Set<string>();
    const cursors = new Set<string>();
    let isInDoubt = false;
    let begun: Date | null = null;
    for (let after: string | null = null; ;) {
      this.stopping.throwIfAborted();
      const page: UpstreamTemplatePage = await this.rpc.call(listUpstreamTemplatesRpc, principal, {
        businessAccountId,
        after,
      });
      const asOf = new Date(page.asOf);
      begun ??= asOf;
      await this.database.transaction(async (tx) => {
        isInDoubt = (await storePage(tx, account, page.templates, asOf)) || isInDoubt;
        // Last, as callbacks lock templates before accounts.
        if (!(await renewLease(tx, account))) throw new LeaseLost();
      });
      for (const template of page.templates) keys.add(templateKey(template));
      if (page.next === null) return { keys, asOf: begun, isInDoubt };
      if (cursors.has(page.next) || cursors.size >= PAGES_MAX) throw new EndlessList();
      cursors.add(page.next);
      after = page.next;
    }
  }
}
