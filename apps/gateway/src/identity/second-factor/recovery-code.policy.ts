import { hash, randomInt } from 'node:crypto';

const CODES = 10;
const GROUPS = 4;
const GROUP_LENGTH = 4;
/** Without what is read as something else: 0, 1, i, l, o, u. */
const ALPHABET = '23456789abcdefghjkmnpqrstvwxyz';

/** A set of new recovery codes: 78 random bits each, in groups that can be copied by hand. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, newGroup).join('-'));
}

/** How a code is stored and looked up; a plain hash is enough for so many random bits. Case and dashes do not count. */
export function hashOfRecoveryCode(code: string): Buffer {
  return hash('sha256', `recovery:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`, 'buffer');
}

function newGroup(): string {
  return Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
