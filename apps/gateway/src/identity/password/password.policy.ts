import { hash } from '@node-rs/argon2';
import { isCommonPassword, isMadeOfNames } from './common-password.policy.js';

/** Lengths in Unicode code points. Source: NIST SP 800-63B, 3.1.1.2: length alone, no rules of composition. */
const passwordLengths = { min: 12, max: 256 } as const;

/** argon2id is the library's default. Source of the numbers: OWASP, "Password Storage Cheat Sheet". */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** One form for one password, whatever keyboard wrote it. Source: NIST SP 800-63B, 3.1.1.2. */
export function normalPassword(password: string): string {
  return password.normalize('NFKC');
}

/** Whose password it is to be: what others would try first. */
export interface PasswordOwner {
  readonly email: string;
  /** Names. */
  readonly organizations: readonly string[];
}

/** Why a new password is refused, as the rest of a sentence that begins with the field's name; null when it is not. */
export function passwordProblem(password: string, { email, organizations }: PasswordOwner): string | null {
  const { min, max } = passwordLengths;
  const normal = normalPassword(password);
  const length = [...normal].length;
  if (length < min || length > max) return `must be ${min} to ${max} characters long`;
  if (normal.toLowerCase() === normalPassword(email).toLowerCase()) return 'must not be the email address';
  if (isCommonPassword(normal)) return 'must not be a common password';
  const [person = ''] = email.split('@');
  if (!isMadeOfNames(normal, [...organizations, person])) return null;
  return 'must not be made of your name or that of the product or of your organization';
}

/** The hash of a password in PHC form with a salt of its own; takes about 30 ms of another thread. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalPassword(password), COST);
}
