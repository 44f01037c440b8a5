/**
 * What SQL of ours means, and what node-postgres makes of the answers, whatever the server, the database or the role has set:
 * node-postgres reads dates in the form of ISO alone and writes NULL into arrays, positions and counts are `float8` of which no
 * digit may be lost, patterns hold backslashes, and functions compose statements of names.
 */
const MEANING = [
  '-c timezone=UTC',
  '-c datestyle=ISO',
  '-c extra_float_digits=1',
  '-c standard_conforming_strings=on',
  '-c array_nulls=on',
  '-c quote_all_identifiers=off',
];

/** Whether a text is a URL of PostgreSQL: node-postgres takes any text, and looks for a host that is not in it. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '');
}

/**
 * How a connection is opened so that its session has the given settings. node-postgres would have `?options=` of a URL replace
 * all others, the search path too: those of the URL are kept, and count where ours leave something open. An `?application_name=`
 * is left out: by ours a session is known to commands that must not run next to it.
 *
 * @param settings each `-c name=value`
 */
export function sessionOptions(url: string, settings: readonly string[]): { url: string; options: string } {
  const parsed = URL.parse(url);
  const own = parsed?.searchParams.get('options') ?? '';
  const options = [...(own === '' ? [] : [own]), ...MEANING, ...settings].join(' ');
  // Any other URL stays as it was written.
  if (!parsed || (own === '' && !parsed.searchParams.has('application_name'))) return { url, options };
  parsed.searchParams.delete('options');
  parsed.searchParams.delete('application_name');
  return { url: parsed.href, options };
}
