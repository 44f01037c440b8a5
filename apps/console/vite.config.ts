import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { apiModule, type ApiDocument } from './build/api-module.ts';

/** Writes the types of the API from its kept description, which `npm run check` holds equal to the gateway's code. */
const api: Plugin = {
  name: 'switchboard-api-module',
  async buildStart() {
    const source = fileURLToPath(new URL('../../docs/app-openapi.json', import.meta.url));
    const target = fileURLToPath(new URL('src/api/api.generated.ts', import.meta.url));
    const text = apiModule(JSON.parse(await readFile(source, 'utf8')) as ApiDocument);
    if ((await readFile(target, 'utf8').catch(() => '')) !== text) await writeFile(target, text);
  },
};

/**
 * Browsers draw nothing that is below a style sheet before they have it: the words of the page while it loads are above it. The console
 * is below it, and so is the style element with the theme, whose variables replace those of the sheet.
 */
const styleSheetBelowWords: Plugin = {
  name: 'switchboard-style-sheet-below-words',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const [sheet] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? [];
      const place = '<div id="console">';
      if (sheet === undefined || !html.includes(place)) throw new Error('the page has no style sheet, or no console');
      return html.replace(sheet, '').replace(place, `${sheet}\n    ${place}`);
    },
  },
};

export default defineConfig({
  base: '/app/',
  plugins: [api, styleSheetBelowWords],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Browsers that know `light-dark()`: lowered, it would not follow Mantine's attribute.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The policy of the page allows no address but this site's.
    assetsInlineLimit: 0,
    // One file: that of a page which could not be had is not asked for again, and the page would be shown without it.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Mantine marks its modules for servers that render React; there is none here.
      onLog: (level, log, show) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : show(level, log)),
    },
  },
});
