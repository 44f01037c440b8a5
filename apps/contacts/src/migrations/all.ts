import { Initial1765000000000 } from './1765000000000-initial.js';
import { Incarnation1766390000000 } from './1766390000000-incarnation.js';

/** Every migration of the schema `contacts`, in the order of their timestamps. */
export const contactsMigrations = [Initial1765000000000, Incarnation1766390000000] as const;
