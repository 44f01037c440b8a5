import { join } from 'node:path';
import { describePlans, testServers } from '@switchboard/testing';
import { contactsMigrations } from './all.js';

const folder = join(import.meta.dirname, '..');
const readsWhole = ['contacts.erased-number.late', 'contacts.erased-number.oldest'];

describePlans({ service: 'contacts', migrations: contactsMigrations, folder, servers: testServers(), readsWhole });
