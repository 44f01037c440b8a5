import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People, their memberships, sessions and invitations. Lock: none that matters, all is new. Reversal: drop what it made. */
export class People1764000001000 implements MigrationInterface {
  name = 'People1764000001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(USERS);
    await runner.query(SESSIONS);
    await runner.query(INVITES);
    await runner.query(GUESSES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE password_guess, invite, session, membership, user_account');
  }
}

const USERS = `
  CREATE TABLE user_account (
    id text COLLATE "C" PRIMARY KEY,
    -- In small letters: one person, however the address is typed.
    email text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    -- In PHC form, with its parameters.
    password_hash text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );

  -- Has an id of its own: a person may be in two organizations, and an id of one means nothing in the other.
  CREATE TABLE membership (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organization,
    user_id text COLLATE "C" NOT NULL REFERENCES user_account,
    role text COLLATE "C" NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'MEMBER')),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organization_id, user_id)
  );
  CREATE INDEX membership_of_user ON membership (user_id, id);
`;

/** last_seen_at changes once a minute and is in no index: such an update touches the row alone. */
const SESSIONS = `
  CREATE TABLE session (
    id text COLLATE "C" PRIMARY KEY,
    secret_hash bytea NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
    user_id text COLLATE "C" NOT NULL REFERENCES user_account,
    organization_id text COLLATE "C" NOT NULL REFERENCES organization,
    -- When the password was given; a rotated session keeps it, so that rotation prolongs nothing.
    signed_in_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX session_of_user ON session (user_id, id);
  CREATE INDEX session_age ON session (signed_in_at);
`;

/** A row is an open invitation: accepted, withdrawn and pruned ones are gone; the audit log remembers them. */
const INVITES = `
  CREATE TABLE invite (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organization,
    email text COLLATE "C" NOT NULL,
    role text COLLATE "C" NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'MEMBER')),
    secret_hash bytea NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    UNIQUE (organization_id, email)
  );
  CREATE INDEX invite_age ON invite (expires_at);
`;

/** Unlogged: after a crash of the database everybody may guess anew, which is no more than the first few guesses. */
const GUESSES = `
  CREATE UNLOGGED TABLE password_guess (
    -- SHA-256 of an account's address or of a network address: neither lies here in clear.
    subject bytea PRIMARY KEY,
    guesses integer NOT NULL,
    last_at timestamptz NOT NULL,
    next_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);
  CREATE INDEX password_guess_age ON password_guess (last_at);
`;
