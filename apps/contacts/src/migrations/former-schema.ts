import { eventFailureTable, retentionFunctions } from '@switchboard/outbox';
import { partitionFunctions, type FormerSchema } from '@switchboard/postgres';
import { gramsFunction, ordinalFunction, ordinalTrigger, searchFunctions, searchIndex } from './initial/search.sql.js';

/**
 * The schema as the migrations before the baseline left it. The index of the search is built anew, a minute for a million contacts: its function has a parameter of another name.
 */
export const formerSchema: FormerSchema = {
  schemaFile: new URL('../../baseline-schema.sql', import.meta.url),
  migrations: [
    'Contacts1764000000000',
    'Replay1764100000000',
    'Aliases1764200000000',
    'OptOuts1764200001000',
    'Search1764200002000',
    'UnconfirmedLifts1764800005000',
    'SearchShelves1764800007000',
    'LiftTimes1764800010000',
  ],
  renames: `
    ALTER TABLE unconfirmed_lift RENAME TO unconfirmed_removal;
    ALTER TABLE unconfirmed_removal RENAME COLUMN begun_at TO started_at;
    ALTER INDEX unconfirmed_lift_pkey RENAME TO unconfirmed_removal_pkey;
    ALTER INDEX unconfirmed_lift_begun RENAME TO unconfirmed_removal_started;
    ALTER TABLE channel RENAME COLUMN told_by TO last_event_id;
    ALTER TABLE contact RENAME COLUMN heard TO applied_statements;
    ALTER TABLE contact RENAME COLUMN place TO ordinal;
    ALTER TABLE contact RENAME COLUMN shelf TO segment;
    ALTER INDEX contact_shelf RENAME TO contact_segment;
    DROP TRIGGER contact_place ON contact;
    DROP INDEX contact_search;
    DROP FUNCTION place_contact(), search_grams(text, integer, text),
      search_contacts(text, text, text, text[], integer[], integer),
      search_shelf(text, integer, text, tsquery, text, integer[], integer);
    ${ordinalFunction} ${ordinalTrigger} ${gramsFunction} ${searchIndex} ${searchFunctions}
    DROP FUNCTION cuid_day(text);
    ${partitionFunctions} ${retentionFunctions} ${eventFailureTable}
  `,
};
