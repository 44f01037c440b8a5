import { Contacts1764000000000 } from './1764000000000-contacts.js';

/** All migrations, oldest first. */
export const migrations = [Contacts1764000000000] as const;
