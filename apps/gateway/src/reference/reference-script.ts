import { fastify } from 'fastify';
import { StaticContent } from '../http/static-content.js';
import { referencePage } from './reference-page.js';

/** What /docs shows. */
export interface Reference {
  readonly page: StaticContent;
  /** Four megabytes of Scalar; 1 MB compressed. */
  readonly script: StaticContent;
}

let loaded: Promise<Reference> | undefined;

/** Reads the reference from its package at first use: a gateway whose reference is not opened does not hold it in memory. */
export function loadReference(): Promise<Reference> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<Reference> {
  const script = new StaticContent(await scriptOfPackage(), {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  return { script, page: referencePage(script.etag.replaceAll(/^W\/|"/g, '')) };
}

/** The package gives its browser bundle away by its plugin alone: a server that listens nowhere is asked for it. */
async function scriptOfPackage(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const server = fastify();
  await server.register(plugin, { routePrefix: '/docs', configuration: { url: '/v1/openapi.json' } });
  const { statusCode, payload } = await server.inject('/docs/js/scalar.js');
  await server.close();
  if (statusCode !== 200) throw new Error(`the reference's package answered ${statusCode}`);
  return payload;
}
