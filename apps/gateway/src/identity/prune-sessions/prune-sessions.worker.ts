import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { CLOCK, LOG, PollingLoop, type Clock, type Log } from '@switchboard/platform';
import { GUESSES_KEPT_MS } from '../login-throttle/login-throttle.policy.js';
import { sessionLimits } from '../session/session.policy.js';
import { pruneGuesses, pruneInvites, pruneSessions } from './prune-sessions.repository.js';

const ROWS_MAX = 500;
const INTERVAL_MS = 600_000;

/** Takes away sessions, invitations and guesses that time has ended: every ten minutes or so, 500 rows at a time. */
@Injectable()
export class PruneSessionsWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: PollingLoop;

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    this.loop = new PollingLoop({
      round: () => this.round(),
      idleMs: INTERVAL_MS,
      onError: (error) => log.error('sessions.prune-failed', error),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Returns when the round under way has ended. */
  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  /** @returns whether there may be more */
  async round(): Promise<boolean> {
    const nowMs = this.clock.now();
    const sessions = await this.database.query(pruneSessions, [new Date(nowMs - sessionLimits.absoluteMs), ROWS_MAX]);
    const invites = await this.database.query(pruneInvites, [new Date(nowMs), ROWS_MAX]);
    const guesses = await this.database.query(pruneGuesses, [new Date(nowMs - GUESSES_KEPT_MS), ROWS_MAX]);
    return [sessions, invites, guesses].some(({ length }) => length === ROWS_MAX);
  }
}
