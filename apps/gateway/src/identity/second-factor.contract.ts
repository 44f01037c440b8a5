import type { ActSource, SignedIn } from './signed-in.contract.js';

/** A second factor that waits for its first code. */
export interface NewSecondFactor {
  /** 160 bits in base 32; shown once, and stored sealed. */
  readonly seed: string;
  /** `otpauth://totp/…` */
  readonly uri: string;
}

/** A second factor that was just enabled. */
export interface EnabledSecondFactor {
  /** Shown once. */
  readonly recoveryCodes: readonly string[];
  /** As that of `NewSession`. */
  readonly deviceCookie: string;
}

/** The second factor of a person, from within a session. */
export interface SecondFactorState {
  /** Null: signing in asks for no code. */
  readonly enabledAt: Date | null;
  readonly recoveryCodesLeft: number;
  /** By the organization of the session. */
  readonly isRequired: boolean;
}

/** What proves that a person is the one of the session. */
export interface SecondFactorProof {
  readonly password: string;
  /** Six digits, or a recovery code; each is taken once. */
  readonly code: string;
}

/**
 * Second factors: codes by time (RFC 6238) with recovery codes. A wrong password is VALIDATION_FAILED, a wrong or used code
 * SECOND_FACTOR_INVALID, both are RATE_LIMITED; UNAUTHORIZED when the session ended meanwhile.
 */
export interface SecondFactors {
  state(signedIn: SignedIn): Promise<SecondFactorState>;
  /** Makes a seed, in place of one that waits. @throws AppError CONFLICT when a factor is enabled */
  begin(signedIn: SignedIn, password: string, source: ActSource): Promise<NewSecondFactor>;
  /**
   * Enables the one that waits, by its first code, ends all other sessions of the person and forgets all other browsers.
   *
   * @throws AppError CONFLICT when none waits
   */
  enable(signedIn: SignedIn, code: string, source: ActSource): Promise<EnabledSecondFactor>;
  /** @throws AppError CONFLICT when there is none */
  disable(signedIn: SignedIn, proof: SecondFactorProof, source: ActSource): Promise<void>;
  /** Makes recovery codes in place of the former ones. @throws AppError CONFLICT when there is no factor */
  renewRecoveryCodes(signedIn: SignedIn, proof: SecondFactorProof, source: ActSource): Promise<readonly string[]>;
  /**
   * Says whether every member of the organization must have one, from their next request on.
   *
   * @throws AppError FORBIDDEN for all but owners; UNAUTHORIZED when the session ended meanwhile
   */
  requireIn(signedIn: SignedIn, isRequired: boolean, source: ActSource): Promise<void>;
}
