import '@fontsource-variable/inter';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/client.js';
import { watchSession } from './api/session.js';
import { router } from './app/router.js';
import { watchPaletteKeys } from './app/shell/palette-state.js';
import { styleNonce } from './app/style-nonce.js';
import { cssVariables, theme } from './ui/theme.js';
import './ui/global.css';

const container = document.getElementById('console');
if (!container) throw new Error('index.html has no element for the console');
watchSession();
watchPaletteKeys();
createRoot(container).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Drawn />
      <Notifications position="bottom-right" limit={4} />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

/** Takes away the words that the page has while it loads. */
function Drawn(): null {
  useLayoutEffect(() => document.querySelector('.loading')?.remove(), []);
  return null;
}
