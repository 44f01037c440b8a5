import type { Database } from '@switchboard/postgres';
import type { Clock } from '@switchboard/service';
import { GuessLimit } from './guess-limit/guess-limit.js';
import { AcceptInvite } from './invite/accept-invite.js';
import { DatabaseInvites } from './invite/invites.js';
import { DatabaseMembers } from './member/members.js';
import { Passwords } from './password/passwords.js';
import type { People } from './people.contract.js';
import { findPlanState } from './plan/plan.repository.js';
import { DatabaseSessions } from './session/sessions.js';
import { DatabaseSignIn } from './sign-in/sign-in.js';

/** People over the service's own tables. */
export function openPeople(database: Database, clock: Clock): People {
  const passwords = new Passwords();
  const guesses = new GuessLimit(database, clock);
  const parts = { database, clock, passwords, guesses };
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
  };
}
