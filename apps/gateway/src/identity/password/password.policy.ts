import { hash } from '@node-rs/argon2';

/** Lengths in Unicode code points. Source: NIST SP 800-63B, 3.1.1.2: length alone, no rules of composition. */
export const passwordLengths = { min: 12, max: 256 } as const;

/** argon2id is the library's default. Source of the numbers: OWASP, "Password Storage Cheat Sheet". */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** One form for one password, whatever keyboard wrote it. Source: NIST SP 800-63B, 3.1.1.2. */
export function normalPassword(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Why a new password is refused, as the rest of a sentence that begins with the field's name; null when it is not.
 *
 * @param email the person's address, which is no password
 */
export function passwordProblem(password: string, email: string): string | null {
  const { min, max } = passwordLengths;
  const normal = normalPassword(password);
  const length = [...normal].length;
  if (length < min || length > max) return `must be ${min} to ${max} characters long`;
  return normal.toLowerCase() === normalPassword(email).toLowerCase() ? 'must not be the email address' : null;
}

/** The hash of a password in PHC form with a salt of its own; takes about 30 ms of another thread. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalPassword(password), COST);
}
