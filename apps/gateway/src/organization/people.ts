import type { Database } from '@switchboard/postgres';
import type { Clock } from '@switchboard/service';
import { GuessLimit } from './guess-limit/guess-limit.js';
import { Passwords } from './password/passwords.js';
import type { People } from './people.contract.js';
import { DatabaseSessions } from './session/sessions.js';
import { DatabaseSignIn } from './sign-in/sign-in.js';

/** People over the service's own tables. */
export function openPeople(database: Database, clock: Clock): People {
  const passwords = new Passwords();
  const guesses = new GuessLimit(database, clock);
  return {
    sessions: new DatabaseSessions(database, clock),
    signIn: new DatabaseSignIn({ database, clock, passwords, guesses }),
  };
}
