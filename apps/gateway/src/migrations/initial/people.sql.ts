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

/** People, their memberships, sessions and invitations. */
export const peopleTables = `${USERS} ${SESSIONS} ${INVITES}`;

/** Takes `peopleTables` back. */
export const peopleTablesReversal = 'DROP TABLE invite, session, membership, user_account';
