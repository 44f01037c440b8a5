import { Contacts1764000000000 } from './1764000000000-contacts.js';
import { Replay1764100000000 } from './1764100000000-replay.js';

/** All migrations, oldest first. */
export const migrations = [Contacts1764000000000, Replay1764100000000] as const;
