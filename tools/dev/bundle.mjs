/**
 * Part of a package's build, in its folder: makes the programs named, of `dist`, into bundles of all that they load, so that a start looks
 * for a handful of files in place of two thousand. Source: docs/adr/0056-bundles.md
 */
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';

const dist = join(process.cwd(), 'dist');
const programs = process.argv.slice(2);

/** What a module finds by its own place is found by that place from the bundle too. */
const places = {
  name: 'places',
  transform: {
    filter: { code: /import\.meta\.(url|dirname)/ },
    handler(code, id) {
      const path = (place) => `new URL(${JSON.stringify(relative(dist, place))}, import.meta.url)`;
      return code
        .replaceAll('import.meta.url', `${path(id)}.href`)
        .replaceAll('import.meta.dirname', `process.getBuiltinModule('node:url').fileURLToPath(${path(dirname(id))})`);
    },
  },
};

const bundle = await rolldown({
  input: Object.fromEntries(programs.map((name) => [name, join(dist, `${name}.js`)])),
  platform: 'node',
  plugins: [places],
  // Native; and what a library would use if it were installed.
  external: [/^@node-rs\//],
  onLog(level, log) {
    if (level === 'warn' && log.code !== 'UNRESOLVED_IMPORT') return;
  },
});
await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name].chunk.js',
  sourcemap: false,
});
