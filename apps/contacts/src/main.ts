import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { contactsConfig } from './contacts.config.js';
import { ContactsModule } from './contacts.module.js';
import { raiseVersionFloor } from './contact/version-floor.js';

await serve('contacts', () => {
  const config = contactsConfig();
  return { config, module: ContactsModule.of(config), onRestored: raiseVersionFloor };
});
