import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { templatesConfig } from './templates.config.js';
import { TemplatesModule } from './templates.module.js';

await serve({ service: 'templates', config: templatesConfig(), module: TemplatesModule });
