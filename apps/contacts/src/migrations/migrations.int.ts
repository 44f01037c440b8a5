import { join } from 'node:path';
import { describeMigrations, testServers } from '@switchboard/testing';
import { contactsMigrations } from './all.js';

const servers = testServers();
const schemaFile = join(import.meta.dirname, '..', '..', 'schema.sql');

describeMigrations({ service: 'contacts', migrations: contactsMigrations, schemaFile, servers });
