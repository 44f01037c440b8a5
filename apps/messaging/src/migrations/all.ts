import { Initial1763700000000 } from './initial.js';

/** Every migration of the schema `messaging`, in order. */
export const messagingMigrations = [Initial1763700000000] as const;
