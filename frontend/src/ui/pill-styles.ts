/** Styles of fields that hold several words: they come with the forms that have one, not with the first page. */
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
