import { Contacts1764000000000 } from './1764000000000-contacts.js';
import { Replay1764100000000 } from './1764100000000-replay.js';
import { Aliases1764200000000 } from './1764200000000-aliases.js';
import { OptOuts1764200001000 } from './1764200001000-opt-outs.js';
import { Search1764200002000 } from './1764200002000-search.js';
import { UnconfirmedLifts1764800005000 } from './1764800005000-unconfirmed-lifts.js';
import { SearchShelves1764800007000 } from './1764800007000-search-shelves.js';
import { LiftTimes1764800010000 } from './1764800010000-lift-times.js';

/** All migrations, oldest first. */
export const migrations = [
  Contacts1764000000000,
  Replay1764100000000,
  Aliases1764200000000,
  OptOuts1764200001000,
  Search1764200002000,
  UnconfirmedLifts1764800005000,
  SearchShelves1764800007000,
  LiftTimes1764800010000,
] as const;
