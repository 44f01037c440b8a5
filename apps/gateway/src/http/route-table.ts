import { Injectable } from '@nestjs/common';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { applyDeclaration, type RouteDeclaration } from './route-declaration.js';

interface KnownPath {
  /** Null stands for a parameter. */
  readonly segments: readonly (string | null)[];
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

  add({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
    let known = this.paths.get(url);
    if (!known) {
      known = {
        segments: url.split('/').map((segment) => (segment.startsWith(':') ? null : segment)),
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
