import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { contactsConfig } from './contacts.config.js';
import { ContactsModule } from './contacts.module.js';

const config = contactsConfig();
await serve({ service: 'contacts', config, module: ContactsModule.of(config) });
