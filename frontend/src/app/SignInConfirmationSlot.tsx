import { useEffect, useState, type ReactNode } from 'react';
import { setSignInConfirmation } from '../api';

/**
 * Shows the dialog in which users confirm their sign-in before a sensitive change; its code is
 * loaded on demand.
 */
export function SignInConfirmationSlot() {
  const [dialog, setDialog] = useState<ReactNode>();
  useEffect(() => {
    setSignInConfirmation(async () => {
      const { ConfirmSignIn } = await import('./pages/ConfirmSignInDialog');
      return new Promise((resolve) => {
        const onClose = (isConfirmed: boolean) => {
          setDialog(null);
          resolve(isConfirmed);
        };
        setDialog(<ConfirmSignIn onClose={onClose} />);
      });
    });
  }, []);
  return dialog;
}
