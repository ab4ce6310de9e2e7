import { createTheme, Drawer, Modal } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Locking the page's scrolling adds a style element at run time, which the content security policy forbids.
    Modal: Modal.extend({
      defaultProps: {
        lockScroll: false,
        centered: true,
        closeButtonProps: { 'aria-label': 'Close dialog' },
      },
    }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false } }),
  },
});
