import { Initial1765000000000 } from './1765000000000-initial.js';

/** Every migration of the schema `messaging`, in the order of their timestamps. */
export const messagingMigrations = [Initial1765000000000] as const;
