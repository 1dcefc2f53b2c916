/** Makes a change handler that passes on the text of the field. */
export const onText =
  (change: (text: string) => void) => (event: { currentTarget: { value: string } }) =>
    change(event.currentTarget.value);
