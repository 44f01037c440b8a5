import type { RouteOptions } from 'fastify';

interface KnownPath {
  /** Null stands for a parameter. */
  readonly segments: readonly (string | null)[];
  readonly methods: Set<string>;
}

/** Which methods a path answers, for 405 and its `Allow`: Fastify's router tells only that nothing fits. */
export class RouteTable {
  private readonly paths = new Map<string, KnownPath>();

  add({ method, url }: Pick<RouteOptions, 'method' | 'url'>): void {
    let known = this.paths.get(url);
    if (!known) {
      known = {
        segments: url.split('/').map((segment) => (segment.startsWith(':') ? null : segment)),
        methods: new Set(),
      };
      this.paths.set(url, known);
    }
    for (const one of [method].flat()) known.methods.add(one);
  }

  /** In alphabetical order; empty for a path that does not exist. @param path without query */
  methodsOf(path: string): string[] {
    const segments = path.split('/');
    const methods = new Set<string>();
    for (const known of this.paths.values()) {
      if (known.segments.length !== segments.length) continue;
      const fits = known.segments.every((segment, index) =>
        segment === null ? segments[index] !== '' : segment === segments[index],
      );
      if (fits) for (const method of known.methods) methods.add(method);
    }
    return [...methods].sort();
  }
}

/** The path of a request target in origin or absolute form, without its query and as it was written. */
export function pathOf(target: string): string {
  const origin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const end = origin.search(/[?#]/);
  return end === -1 ? origin : origin.slice(0, end);
}
