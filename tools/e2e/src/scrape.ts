/** A metric as it was scraped. */
export interface ScrapedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ScrapedSample[];
}

/** One line of it; of a histogram also those of `_bucket`, `_sum` and `_count`. */
export interface ScrapedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/**
 * Reads Prometheus text as strictly as a scraper does.
 *
 * @throws Error on a line that is none, a sample before its TYPE, or a metric that comes twice.
 * Source: Prometheus documentation, "Exposition formats".
 */
export function parseScrape(text: string): ReadonlyMap<string, ScrapedMetric> {
  const found = new Map<string, { name: string; type: string; help: string; samples: ScrapedSample[] }>();
  const help = new Map<string, string>();
  let current: { name: string; samples: ScrapedSample[] } | undefined;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# UNIT ')) continue;
    const [, kind, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') help.set(about, rest);
    if (kind === 'TYPE') {
      if (found.has(about)) throw new Error(`${about} comes twice`);
      const metric = { name: about, type: rest, help: help.get(about) ?? '', samples: [] };
      found.set(about, metric);
      current = metric;
    }
    if (kind !== undefined) continue;
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    const belongs = current !== undefined && name.replace(/_(bucket|sum|count)$/, '') === current.name;
    if (!current || (name !== current.name && !belongs)) throw new Error(`no sample of a known metric: ${line}`);
    current.samples.push({ name, labels: labelsOf(labels), value: value === '+Inf' ? Infinity : Number(value) });
  }
  return found;
}

/** Values of a metric, or of one part of a histogram, whose labels include these. */
export function valuesOf(
  scraped: ReadonlyMap<string, ScrapedMetric>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number[] {
  const metric = scraped.get(name) ?? scraped.get(name.replace(/_(bucket|sum|count)$/, ''));
  return (metric?.samples ?? [])
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .map(({ value }) => value);
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));
}
