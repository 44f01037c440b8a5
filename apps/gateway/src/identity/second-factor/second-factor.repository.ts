import { statement } from '@switchboard/postgres';

/** A second factor as it is stored. */
export interface SecondFactorRow {
  readonly userId: string;
  readonly seedSealed: Buffer;
  /** Null: it waits for its first code. */
  readonly enabledAt: Date | null;
  /** Of its person. */
  readonly deviceEpoch: number;
}

/** What a person sees of theirs, in an organization. */
export interface SecondFactorStateRow {
  readonly enabledAt: Date | null;
  readonly recoveryCodesLeft: number;
  readonly isRequired: boolean;
}

/** $1 user, $2 organization. */
export const secondFactorState = statement<SecondFactorStateRow>(
  'gateway.second-factor-state',
  `SELECT f.enabled_at AS "enabledAt", o.requires_second_factor AS "isRequired",
     (SELECT count(*) FROM recovery_code WHERE user_id = $1)::integer AS "recoveryCodesLeft"
   FROM organization o LEFT JOIN second_factor f ON f.user_id = $1 WHERE o.id = $2`,
);

/** $1 user. */
export const findSecondFactor = statement<SecondFactorRow>(
  'gateway.find-second-factor',
  `SELECT f.user_id AS "userId", f.seed_sealed AS "seedSealed", f.enabled_at AS "enabledAt", u.device_epoch AS "deviceEpoch"
   FROM second_factor f JOIN user_account u ON u.id = f.user_id WHERE f.user_id = $1`,
);

/** Whether the person signs in with a code. $1 user. */
export const hasSecondFactor = statement<{ readonly is: boolean }>(
  'gateway.has-second-factor',
  'SELECT EXISTS (SELECT FROM second_factor WHERE user_id = $1 AND enabled_at IS NOT NULL) AS is',
);

/** Begins anew where none is enabled. $1 user, $2 sealed seed, $3 now. Empty where one is. */
export const insertSecondFactor = statement<{ readonly userId: string }>(
  'gateway.insert-second-factor',
  `INSERT INTO second_factor AS own (user_id, seed_sealed, created_at) VALUES ($1, $2, $3)
   ON CONFLICT (user_id) DO UPDATE SET seed_sealed = excluded.seed_sealed, created_at = excluded.created_at, last_step = 0
   WHERE own.enabled_at IS NULL RETURNING user_id AS "userId"`,
);

/**
 * Forgets devices as well: they became known by the password alone. $1 user, $2 now. Empty where it is enabled already, or was
 * begun anew since a code of it was taken.
 */
export const enableSecondFactor = statement<{ readonly deviceEpoch: number }>(
  'gateway.enable-second-factor',
  `WITH enabled AS (
     UPDATE second_factor SET enabled_at = $2 WHERE user_id = $1 AND enabled_at IS NULL AND last_step > 0 RETURNING user_id
   )
   UPDATE user_account u SET device_epoch = device_epoch + 1 FROM enabled WHERE u.id = enabled.user_id
   RETURNING u.device_epoch AS "deviceEpoch"`,
);

/**
 * Takes the code of a step, once: of two at once the second waits for the first one's row and finds its step. $1 user, $2 step.
 * Empty when it or a later one was taken.
 */
export const takeStep = statement<{ readonly userId: string }>(
  'gateway.take-second-factor-step',
  `UPDATE second_factor SET last_step = $2 WHERE user_id = $1 AND last_step < $2 RETURNING user_id AS "userId"`,
);

/** Takes a recovery code, once. $1 user, $2 hash. */
export const takeRecoveryCode = statement<{ readonly userId: string }>(
  'gateway.take-recovery-code',
  `DELETE FROM recovery_code WHERE user_id = $1 AND code_hash = $2 RETURNING user_id AS "userId"`,
);

/** $1 user. */
export const countRecoveryCodes = statement<{ readonly left: number }>(
  'gateway.count-recovery-codes',
  'SELECT count(*)::integer AS left FROM recovery_code WHERE user_id = $1',
);

/** $1 user. */
export const deleteRecoveryCodes = statement(
  'gateway.delete-recovery-codes',
  'DELETE FROM recovery_code WHERE user_id = $1',
);

/** $1 user, $2 hashes. */
export const insertRecoveryCodes = statement(
  'gateway.insert-recovery-codes',
  'INSERT INTO recovery_code (user_id, code_hash) SELECT $1, unnest($2::bytea[])',
);

/** With its recovery codes. $1 user. Empty where there was none. */
export const deleteSecondFactor = statement<{ readonly userId: string }>(
  'gateway.delete-second-factor',
  'DELETE FROM second_factor WHERE user_id = $1 RETURNING user_id AS "userId"',
);

/** That of an account that nothing confirms. $1 user. */
export const deleteUnconfirmedSecondFactor = statement(
  'gateway.delete-unconfirmed-second-factor',
  `DELETE FROM second_factor f USING user_account u
   WHERE f.user_id = $1 AND u.id = f.user_id AND u.confirmed_at IS NULL`,
);

/** $1 organization, $2 whether. @returns what it was before; nothing when it was the same */
export const requireSecondFactor = statement<{ readonly name: string }>(
  'gateway.require-second-factor',
  `UPDATE organization SET requires_second_factor = $2 WHERE id = $1 AND requires_second_factor <> $2 RETURNING name`,
);
