import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const indigo: MantineColorsTuple = [
  '#eef1ff',
  '#dce1fb',
  '#b6c0f3',
  '#8e9dec',
  '#6c7fe6',
  '#566ce2',
  '#4a61e1',
  '#3b51c8',
  '#3348b3',
  '#273d9e',
];

const slate: MantineColorsTuple = [
  '#c9cdd6',
  '#adb2bd',
  '#8d93a1',
  '#6b7280',
  '#3d4350',
  '#2c313b',
  '#20242c',
  '#171a21',
  '#111319',
  '#0b0d11',
];

/**
 * Mantine's own light colors in the dark are near black, and take the red off buttons that destroy. Its words in red and teal, and what it
 * says of a wrong field, reach 3 to 4 to 1 on these surfaces; these reach 4.5.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-red-text': 'var(--mantine-color-red-9)',
    '--mantine-color-teal-text': 'var(--mantine-color-teal-9)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-indigo-light': 'rgb(108 127 230 / 18%)',
    '--mantine-color-indigo-light-hover': 'rgb(108 127 230 / 26%)',
    '--mantine-color-indigo-light-color': 'var(--mantine-color-indigo-2)',
    '--mantine-color-gray-light': 'rgb(173 178 189 / 16%)',
    '--mantine-color-gray-light-hover': 'rgb(173 178 189 / 22%)',
    '--mantine-color-yellow-light': 'rgb(250 176 5 / 14%)',
    '--mantine-color-yellow-light-color': 'var(--mantine-color-yellow-2)',
    '--mantine-color-blue-light': 'rgb(77 171 247 / 14%)',
    '--mantine-color-blue-light-color': 'var(--mantine-color-blue-2)',
    '--mantine-color-red-light': 'rgb(250 82 82 / 15%)',
    '--mantine-color-red-light-hover': 'rgb(250 82 82 / 22%)',
    '--mantine-color-red-light-color': 'var(--mantine-color-red-4)',
  },
});

/** One visual language: quiet surfaces, one accent, small radii, Inter. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 6 },
  colors: { indigo, dark: slate },
  defaultRadius: 'md',
  fontFamily: '"Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem', lineHeight: '1.25' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } },
  },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 550, lts: 0 } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45, blur: 2 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    Drawer: {
      defaultProps: { overlayProps: { backgroundOpacity: 0.35 }, closeButtonProps: { 'aria-label': 'Close' } },
    },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      // Mantine's own gray is too light for its small letters.
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } },
  },
});
