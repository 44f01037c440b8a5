import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { contactsConfig } from './contacts.config.js';
import { ContactsModule } from './contacts.module.js';

await serve({ service: 'contacts', config: contactsConfig(), module: ContactsModule });
