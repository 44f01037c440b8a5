import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { pauseRestored } from './pause-restored/pause-restored.js';
import { templatesConfig } from './templates.config.js';
import { TemplatesModule } from './templates.module.js';

const config = templatesConfig();
await serve({ service: 'templates', config, module: TemplatesModule.of(config), onRestored: pauseRestored });
