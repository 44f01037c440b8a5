import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { applyDeclaration, type RouteDeclaration } from './route-declaration.js';

interface KnownPath {
  readonly url: string;
  /** An expression stands for a parameter, which matches nothing empty; `*`, the last, for all segments from there on. */
  readonly segments: readonly (string | RegExp)[];
  readonly methods: Set<string>;
}

/** A route as it is mounted. */
export interface MountedRoute {
  readonly method: string;
  /** Its parameters begin with a colon. */
  readonly path: string;
  readonly declaration: RouteDeclaration;
}

/** Which methods a path answers, for 405 and its `Allow`: Fastify's router knows only that no route fits. */
@Injectable()
export class RouteTable {
  private readonly paths = new Map<string, KnownPath>();
  private readonly routes: MountedRoute[] = [];

  /** Every route that declares itself, in the order in which they were mounted. */
  get mounted(): readonly MountedRoute[] {
    return this.routes;
  }

  /** Every method that some path answers, in alphabetical order. */
  get methods(): readonly string[] {
    return [...new Set(this.routes.map(({ method }) => method))].sort();
  }

  /** Checks and notes every route that is registered from now on. @throws Error when a route declares nothing */
  watch(server: FastifyInstance): void {
    server.addHook('onRoute', (route) => {
      applyDeclaration(route);
      this.add(route);
    });
  }

  /** @throws Error when the path cannot be parted into segments */
  add({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
    let known = this.paths.get(url);
    if (!known) {
      known = {
        url,
        segments: url.split('/').map(segmentOf),
        methods: new Set(),
      };
      this.paths.set(url, known);
    }
    const declaration = config?.declaration;
    for (const one of [method].flat()) {
      known.methods.add(one);
      if (declaration) this.routes.push({ method: one, path: url, declaration });
    }
  }

  /** In alphabetical order; empty for a path that does not exist. @param path without query */
  methodsOf(path: string): string[] {
    return [...(this.closest(path.split('/'))?.methods ?? [])].sort();
  }

  /**
   * Whether another route than the one that the router chose is meant by a path: `DELETE /invites/accept` has no route of
   * its own, and is not the `DELETE` of an invitation with the id `accept`.
   *
   * @param url of the route that was chosen
   */
  isShadowed(url: string, path: string): boolean {
    // Without a parameter there is no closer one.
    if (!url.includes('/:')) return false;
    const segments = path.split('/');
    const closest = this.closest(segments);
    // The router takes an empty segment for a parameter.
    return closest === undefined ? segments.slice(1).includes('') : closest.url !== url;
  }

  /** The path that fits best: from the left, a literal segment goes before a parameter. */
  private closest(segments: readonly string[]): KnownPath | undefined {
    let best: KnownPath | undefined;
    for (const known of this.paths.values()) {
      if (fits(known, segments) && (!best || isCloser(known, best))) best = known;
    }
    return best;
  }
}

function fits(known: KnownPath, segments: readonly string[]): boolean {
  const isOpen = known.segments.at(-1) === '*';
  if (isOpen ? segments.length < known.segments.length : segments.length !== known.segments.length) return false;
  return known.segments.every((segment, index) => {
    if (typeof segment !== 'string') return segment.test(segments[index] ?? '');
    return segment === '*' || segment === segments[index];
  });
}

function isCloser({ segments }: KnownPath, other: KnownPath): boolean {
  const index = segments.findIndex((segment, at) => rankOf(segment) !== rankOf(other.segments[at]));
  return index !== -1 && rankOf(segments[index]) > rankOf(other.segments[index]);
}

/** Segments past a `*` are undefined, and no closer than it. */
function rankOf(segment: string | RegExp | undefined): number {
  if (segment === '*' || segment === undefined) return 0;
  return typeof segment === 'string' ? 2 : 1;
}

/** A parameter may bring an expression of its own, in brackets behind its name. @throws Error when that has a slash */
function segmentOf(segment: string): string | RegExp {
  if (!segment.startsWith(':')) return segment;
  const [, own, rest = ''] = /^:\w+(?:\((.+)\))?(.*)$/.exec(segment) ?? [];
  if (rest !== '') throw new Error(`\`${segment}\` is cut: the expression of a parameter has no slash`);
  return own === undefined ? /./ : new RegExp(own);
}

/** The path of a request target in origin or absolute form, without its query and as it was written. */
export function pathOf(target: string): string {
  const origin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const end = origin.search(/[?#]/);
  return end === -1 ? origin : origin.slice(0, end);
}

/**
 * The path by which a request is treated: of the route that serves it, with its parameters' names; of one that no route serves,
 * as the router reads it. The raw path names neither: `/%61pp` is served by the route of `/app`.
 */
export function servedPath(request: FastifyRequest): string {
  const route = request.is404 ? undefined : request.routeOptions.url;
  return route ?? requestedPath(request);
}

/** The path of a request as the router reads it, whatever serves it. */
export function requestedPath(request: FastifyRequest): string {
  return decodeUnreserved(pathOf(request.raw.url ?? ''));
}

/** Decodes the characters that need no encoding: the others stand for nothing that a path of ours has. Source: RFC 3986, 2.3. */
function decodeUnreserved(path: string): string {
  return path.replace(/%([2-7][0-9a-f])/gi, (encoded, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : encoded;
  });
}
