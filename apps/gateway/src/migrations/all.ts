import { Initial1763700000000 } from './initial.js';

/** Every migration of the schema `gateway`, in order. */
export const gatewayMigrations = [Initial1763700000000] as const;
