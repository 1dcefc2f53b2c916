import { useEffect, useState, type ReactNode } from 'react';
import { setSignInConfirmation } from '../api';

/** The place of the dialog in which users confirm a sign-in that is too old for a change; it is loaded when it is needed. */
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
