import { Initial1764900000000 } from './1764900000000-initial.js';

/** Every migration of the schema `contacts`, in the order of their timestamps. */
export const contactsMigrations = [Initial1764900000000] as const;
