import { ApiKeyCreator1764000002001 } from './api-key-creator.js';
import { AuditBeginnings1764000008000 } from './audit-beginnings.js';
import { AuditLog1764000002000 } from './audit-log.js';
import { Initial1763700000000 } from './initial.js';
import { People1764000001000 } from './people.js';
import { Replay1764100000000 } from './replay.js';

/** Every migration of the schema `gateway`, in order. */
export const gatewayMigrations = [
  Initial1763700000000,
  People1764000001000,
  AuditLog1764000002000,
  ApiKeyCreator1764000002001,
  AuditBeginnings1764000008000,
  Replay1764100000000,
] as const;
