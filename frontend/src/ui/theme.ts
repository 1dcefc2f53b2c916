import {
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeComponents,
} from '@mantine/core';

const indigo: MantineColorsTuple = [
  '#eef0fc',
  '#e6e9fa',
  '#c4c9ee',
  '#a6b1f7',
  '#8796ff',
  '#6878ea',
  '#4c5fd5',
  '#4354c4',
  '#36449e',
  '#2a3579',
];
const gray: MantineColorsTuple = [
  '#fbfbfa',
  '#f4f3f1',
  '#f1f0ed',
  '#e5e4e0',
  '#cfcdc7',
  '#8b877f',
  '#6b6862',
  '#47443f',
  '#2b2926',
  '#1c1b19',
];
const dark: MantineColorsTuple = [
  '#ecebe8',
  '#c9c6bf',
  '#9a978f',
  '#7b7882',
  '#3d3d45',
  '#222228',
  '#1a1a1e',
  '#131316',
  '#0f0f12',
  '#0a0a0c',
];

const inputHeight = { '--input-height': '26px', '--input-fz': '12px', '--input-padding': '8px' };
const plainInput = { size: 'xs', withAsterisk: false };
const still = { duration: 0 };

// Keyed by name: an import of the components would add them to the first load of every page.
const components: MantineThemeComponents = {
  Button: {
    defaultProps: { size: 'xs', variant: 'default' },
    vars: (_theme: unknown, { variant }: { variant?: string }) => ({
      root: {
        '--button-height': '28px',
        '--button-fz': '12.5px',
        '--button-padding-x': '11px',
        // White on the dark scheme's accent is only 2.7:1.
        ...(variant === 'filled'
          ? { '--button-color': 'var(--on-accent)', '--button-hover-color': 'var(--on-accent)' }
          : {}),
      },
    }),
  },
  Input: { vars: () => ({ wrapper: inputHeight }) },
  InputWrapper: { defaultProps: { withAsterisk: false } },
  TextInput: { defaultProps: plainInput },
  PasswordInput: { defaultProps: plainInput },
  NumberInput: { defaultProps: plainInput },
  Textarea: { defaultProps: plainInput },
  Select: {
    defaultProps: {
      ...plainInput,
      checkIconPosition: 'right',
      comboboxProps: { shadow: 'none', transitionProps: still },
    },
  },
  SegmentedControl: { defaultProps: { size: 'xs', transitionDuration: 0 } },
  Checkbox: { defaultProps: { size: 'xs', iconColor: 'var(--on-accent)' } },
  Progress: { defaultProps: { size: 3, radius: 0 } },
  Tabs: { defaultProps: { keepMounted: false } },
  Menu: {
    defaultProps: {
      transitionProps: still,
      position: 'bottom-end',
      shadow: 'none',
      offset: 4,
      // The placeholder would be a child that a menu must not have.
      withInitialFocusPlaceholder: false,
    },
  },
  Popover: { defaultProps: { transitionProps: still, shadow: 'none' } },
  Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 80 } } },
  Drawer: {
    defaultProps: {
      transitionProps: still,
      position: 'right',
      overlayProps: { backgroundOpacity: 0.16 },
    },
  },
  Modal: {
    defaultProps: {
      transitionProps: still,
      centered: true,
      overlayProps: { backgroundOpacity: 0.3 },
    },
  },
};

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 4 },
  autoContrast: true,
  black: '#1c1b19',
  white: '#ffffff',
  colors: { indigo, gray, dark },
  defaultRadius: 'sm',
  radius: { sm: '4px', md: '6px' },
  fontFamily: 'var(--font-ui)',
  fontFamilyMonospace: 'var(--font-code)',
  fontSizes: { xs: '11px', sm: '12px', md: '13px', lg: '14px', xl: '21px' },
  lineHeights: { md: '1.5' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  headings: { fontWeight: '500' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components,
});

/** Sets Mantine's variables from our tokens, so that colors are chosen only in `tokens.css`. */
const fromTokens = {
  '--mantine-color-body': 'var(--bg)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--muted)',
  '--mantine-color-placeholder': 'var(--muted)',
  '--mantine-color-anchor': 'var(--accent-text)',
  '--mantine-color-error': 'var(--err)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--border-strong)',
  '--mantine-color-disabled': 'var(--sunken)',
  '--mantine-color-disabled-color': 'var(--muted)',
  '--mantine-color-disabled-border': 'var(--border)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-filled-hover': 'var(--accent-text)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-primary-color-light': 'var(--accent-soft)',
  '--mantine-primary-color-light-color': 'var(--accent-text)',
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: { '--mantine-shadow-md': 'var(--shadow)' },
  light: fromTokens,
  dark: fromTokens,
});
