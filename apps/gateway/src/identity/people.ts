import type { Database } from '@switchboard/postgres';
import type { Clock, Log } from '@switchboard/platform';
import { LoginThrottle } from './login-throttle/login-throttle.js';
import { AcceptInvite } from './invite/accept-invite.js';
import { DatabaseInvites } from './invite/invites.js';
import { DatabaseMembers } from './member/members.js';
import { Passwords } from './password/passwords.js';
import type { People } from './people.contract.js';
import { findPlanState } from './plan/plan.repository.js';
import { DatabaseSessions } from './session/sessions.js';
import { FailedSignIns } from './sign-in/failed-sign-ins.js';
import { DatabaseSignIn } from './sign-in/sign-in.js';

/** People, and what is still to be written about them. */
export interface OpenPeople extends People {
  /** Returns when every failed sign-in so far is in the audit log. */
  drain(): Promise<void>;
}

/** People over the service's own tables. */
export function openPeople(database: Database, clock: Clock, log: Log): OpenPeople {
  const passwords = new Passwords();
  const guesses = new LoginThrottle(database, clock);
  const failures = new FailedSignIns(database, log);
  const parts = { database, clock, passwords, guesses, failures };
  return {
    sessions: new DatabaseSessions(database, clock),
    signIn: new DatabaseSignIn(parts),
    members: new DatabaseMembers(database, clock),
    invites: new DatabaseInvites(database, clock, new AcceptInvite(parts)),
    planOf: async (organizationId) => {
      const [state] = await database.query(findPlanState, [organizationId, new Date(clock.now())]);
      if (!state) throw new Error('there is no such organization');
      return state;
    },
    drain: () => failures.drain(),
  };
}
