/** Runs one statement as a role that may write every schema; who fills has a connection of their own. */
export type RunSql = (sql: string, values: readonly unknown[]) => Promise<unknown>;

/**
 * How many contacts an organization shall have, and on which channels a part of them has opted out. As in life, some terms
 * are in one range of them alone: `legacy.example` in the oldest 30 %, `+49` in the next 10 %, `between.test` in 2 % in
 * the middle.
 */
export interface ContactFill {
  readonly organizationId: string;
  readonly contacts: number;
  /** Every hundredth contact opts out on the first, every thousandth on all of them. */
  readonly channelIds: readonly string[];
}

const NAMES = `ARRAY['Anna','Bo','Carlos','Dmitri','Elena','Farid','Grace','Hiro','Ines','Jan','Katarzyna','Lucas','Maria',
  'Nina','Omar','Priya','Quentin','Rosa','Sven','Tariq','Uma','Viktor','Wei','Ximena','Yuki','Zoë','Иван','Ольга','José']`;
const BEGINNINGS = `ARRAY['ba','ca','de','fi','go','hu','ka','lo','mi','na','po','ra','sa','te','vu','wi','xe','ya','zo','sch']`;
const MIDDLES = `ARRAY['ber','ton','man','ski','rez','son','li','gar','nov','dze','opo','lu','mar','ver','and']`;
const ENDINGS = `ARRAY['','s','er','ova','i','en','a','o','ez','ic']`;
const HOSTS = `ARRAY['example.com','example.org','mail.test','acme.example']`;

/**
 * Fills an organization with contacts of many names and scripts, made by the database itself: a million in less than a
 * minute. For measurements and tests; no events are emitted, and running services learn them with the first sighting.
 *
 * @param run on the schema's database, in no transaction
 */
export async function fillContacts(run: RunSql, { organizationId, contacts, channelIds }: ContactFill): Promise<void> {
  const draw = (list: string, salt: number): string =>
    `(${list})[1 + (hashint4(n + ${salt}) & 2147483647) % cardinality(${list})]`;
  const host = `CASE WHEN n <= $2 * 0.3 THEN 'legacy.example' WHEN n BETWEEN $2 * 0.5 AND $2 * 0.52 THEN 'between.test'
    ELSE ${draw(HOSTS, 5)} END`;
  const country = `CASE WHEN n BETWEEN $2 * 0.3 AND $2 * 0.4 THEN '+49' ELSE '+1' END`;
  await run("SET maintenance_work_mem = '512MB'", []);
  // Built last, at once, as a restore does it; as the migrations have it.
  await run("CREATE TEMP TABLE kept AS SELECT indexdef FROM pg_indexes WHERE indexname = 'contact_search'", []);
  await run('DROP INDEX contacts.contact_search', []);
  await run(
    `INSERT INTO contacts.contact (organization_id, id, phone, messaging_id, name, email, version, created_at, updated_at,
       coverage, ordinal, search_text)
     SELECT $1, 'cmw' || lpad(to_hex(n), 6, '0') || substr(md5(n::text), 1, 16), phone, substr(phone, 2), name, email, 1,
       now(), now(), CASE WHEN n % 1000 = 0 THEN -1 WHEN n % 100 = 0 THEN 1 ELSE 0 END, n - 1,
       upper(name) || E'\\x1f' || phone || E'\\x1f' || upper(email)
     FROM generate_series(1, $2::int) AS n,
       LATERAL (SELECT ${draw(BEGINNINGS, 1)} || ${draw(MIDDLES, 2)} || ${draw(ENDINGS, 3)} AS family,
         ${country} || (2010000000 + n * 7)::text AS phone) AS drawn,
       LATERAL (SELECT ${draw(NAMES, 0)} || ' ' || initcap(family) AS name,
         family || n || '@' || ${host} AS email) AS made`,
    [organizationId, contacts],
  );
  await run(
    `INSERT INTO contacts.contact_alias SELECT organization_id, phone, id FROM contacts.contact WHERE organization_id = $1`,
    [organizationId],
  );
  await run(`INSERT INTO contacts.channel (organization_id, id) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`, [
    organizationId,
    channelIds,
  ]);
  await run(
    `INSERT INTO contacts.opt_out (organization_id, id, contact_id, channel_id, source)
     SELECT $1, id, id, CASE coverage WHEN -1 THEN '*' ELSE $2 END, 'API' FROM contacts.contact
     WHERE organization_id = $1 AND coverage <> 0`,
    [organizationId, channelIds[0] ?? '*'],
  );
  await run('DO $$ BEGIN EXECUTE (SELECT indexdef FROM kept); DROP TABLE kept; END $$', []);
  await run('ANALYZE contacts.contact, contacts.contact_alias, contacts.opt_out, contacts.channel', []);
}
