import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { pauseRestored } from './pause-restored/pause-restored.js';
import { templatesConfig } from './templates.config.js';
import { TemplatesModule } from './templates.module.js';

await serve('templates', () => {
  const config = templatesConfig();
  return { config, module: TemplatesModule.of(config), onRestored: pauseRestored };
});
