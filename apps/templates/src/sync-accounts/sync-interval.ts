/** Token of the seconds between two synchronisations of an account. */
export const SYNC_INTERVAL = Symbol('SyncInterval');
