import { statement } from '@switchboard/postgres';

/** A person with what their password is checked against. */
export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  /** Moves on with a new password, an operator's reset and a second factor: marks of browsers that have another are a stranger's. */
  readonly deviceEpoch: number;
}

const USER = 'id, email, name, password_hash AS "passwordHash", device_epoch AS "deviceEpoch"';

/** $1 address in small letters. */
export const findUserByEmail = statement<UserRow>(
  'gateway.find-user-by-email',
  `SELECT ${USER} FROM user_account WHERE email = $1`,
);

/** $1 id. */
export const findUser = statement<UserRow>('gateway.find-user', `SELECT ${USER} FROM user_account WHERE id = $1`);

/** Before all sessions of a person are ended: one that is being begun is waited for. $1 id. */
export const lockUser = statement<{ readonly id: string }>(
  'gateway.lock-user',
  'SELECT id FROM user_account WHERE id = $1 FOR NO KEY UPDATE',
);

/** Forgets devices as well. $1 id, $2 the hash that was checked, $3 the new one. Empty when it was changed meanwhile. */
export const changePasswordHash = statement<Pick<UserRow, 'deviceEpoch'>>(
  'gateway.change-password-hash',
  `UPDATE user_account SET password_hash = $3, device_epoch = device_epoch + 1 WHERE id = $1 AND password_hash = $2
   RETURNING device_epoch AS "deviceEpoch"`,
);

/** Whatever the former one was; an operator gives the account to its owner. Forgets devices as well. $1 id, $2 the new hash. */
export const setPasswordHash = statement(
  'gateway.set-password-hash',
  'UPDATE user_account SET password_hash = $2, confirmed_at = now(), device_epoch = device_epoch + 1 WHERE id = $1',
);

/** From now on all browsers are a stranger's until they sign in. $1 id. */
export const forgetDevices = statement(
  'gateway.forget-devices',
  'UPDATE user_account SET device_epoch = device_epoch + 1 WHERE id = $1',
);

/** The number of a person's open sessions. $1 id; $2, $3 used and signed in after. See `sessionBounds`. */
export const countSessionsOfUser = statement<{ readonly sessions: number }>(
  'gateway.count-sessions-of-user',
  'SELECT count(*)::integer AS sessions FROM session WHERE user_id = $1 AND last_seen_at > $2 AND signed_in_at > $3',
);

/** Of an account that nothing confirms. $1 id, $2 address in small letters, $3 name, $4 hash. Empty when it has one. */
export const insertUser = statement<{ readonly id: string }>(
  'gateway.insert-user',
  `INSERT INTO user_account (id, email, name, password_hash, confirmed_at) VALUES ($1, $2, $3, $4, NULL)
   ON CONFLICT (email) DO NOTHING RETURNING id`,
);

/** An account that nothing confirms was named by whoever made it. $1 id. */
export const dropUnconfirmedName = statement(
  'gateway.drop-unconfirmed-name',
  'UPDATE user_account SET name = email WHERE id = $1 AND confirmed_at IS NULL',
);

/** Of an account that goes by its address. $1 id, $2 name. */
export const nameUser = statement(
  'gateway.name-user',
  'UPDATE user_account SET name = $2 WHERE id = $1 AND name = email',
);
