import { defineEvent } from '../grammar/define-event.js';
import type { ContactFacts } from './rpc.js';

/** A contact came into being or changed; carries all of it, so that projections need no order but `version`. */
export const contactChanged = defineEvent<{ readonly contact: ContactFacts }>('contacts', 'contact.changed', 1);
